import { expect, test } from 'vitest'
import { progressLine } from '../../src/cli/progress.ts'

function work(isTTY: boolean): string {
  let written = ''
  let clock = 0
  const line = progressLine({ isTTY, columns: 60, write: (text) => { written += text } }, () => clock)
  for (const now of [0, 400, 600, 650, 800]) {
    clock = now
    line.onProgress({ source: 'big\u001b[2J.jsonl', bytes: now * 1000, totalBytes: 1_000_000 })
  }
  line.end()
  return written
}

test('a terminal sees a line after half a second, ten times a second at most, erased at the end', () => {
  expect(work(true)).toBe('\r\u001b[K600 kB of 1 MB (60 %)  big.jsonl\r\u001b[K800 kB of 1 MB (80 %)  big.jsonl\r\u001b[K')
})

test('nothing is written to a file', () => {
  expect(work(false)).toBe('')
})

test('an unknown size is left out', () => {
  let written = ''
  let clock = 0
  const line = progressLine({ isTTY: true, write: (text) => { written += text } }, () => clock)
  clock = 1000
  line.onProgress({ source: '-', bytes: 5, totalBytes: null })
  expect(written).toBe('\r\u001b[K5 B  -')
})
