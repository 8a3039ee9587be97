import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineSplitter } from '../../src/decode/lines.ts'

function split(chunks: readonly Uint8Array[], limit = 1000): { lines: string[]; tooLong: number[]; rest: number } {
  const lines: string[] = []
  const tooLong: number[] = []
  const splitter = new LineSplitter(limit, (bytes, start, end) => lines.push(bytes.toString('utf8', start, end)), (bytes) => tooLong.push(bytes))
  for (const chunk of chunks) {
    splitter.push(chunk)
    // A source may use its buffer again.
    chunk.fill(0)
  }
  return { lines, tooLong, rest: splitter.rest }
}

it('cuts at line breaks wherever the chunks are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\r', '𝒳'), maxLength: 300 })), fc.array(fc.nat(40)), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const chunks: Uint8Array[] = []
      let at = 0
      for (const size of sizes) {
        chunks.push(Buffer.from(bytes.subarray(at, at + size)))
        at += size
      }
      chunks.push(Buffer.from(bytes.subarray(at)))
      expect(split(chunks, 10_000)).toEqual({ lines, tooLong: [], rest: 0 })
    }),
  )
})

it('tells how much follows the last line break', () => {
  expect(split([Buffer.from('a\nbc'), Buffer.from('d')])).toEqual({ lines: ['a'], tooLong: [], rest: 3 })
})

it('passes over lines beyond the limit, in one chunk or in many', () => {
  const text = `${'x'.repeat(30)}\nok\n`
  const whole = { lines: ['ok'], tooLong: [30], rest: 0 }
  expect(split([Buffer.from(text)], 10)).toEqual(whole)
  expect(split([...Buffer.from(text)].map((byte) => Buffer.from([byte])), 10)).toEqual(whole)
})
