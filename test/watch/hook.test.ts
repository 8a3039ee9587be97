import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Hook } from '../../src/watch/hook.ts'

let root = ''
let troubles: string[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inquest-hook-'))
  troubles = []
})
afterEach(() => rmSync(root, { recursive: true }))

const hook = (command: string, args: readonly string[], timeoutMs = 60_000): Hook => new Hook([command, ...args], { cwd: root, timeoutMs, onTrouble: (message) => troubles.push(message) })
const script = (body: string, timeoutMs?: number): Hook => hook(process.execPath, ['-e', body], timeoutMs)
const GRACE_MS = 60_000

test('a program that runs for too long is ended, and the next finding has its turn', async () => {
  const hanging = script('setInterval(() => {}, 1000)', 300)
  hanging.run('{}')
  hanging.run('{}')
  await hanging.close(GRACE_MS)
  expect(troubles).toEqual(Array.from({ length: 2 }, () => `${process.execPath} was ended after 0.3 s`))
})

test('programs run one after the other', async () => {
  const slow = script(`const { appendFileSync, readFileSync } = require('fs')
    const id = readFileSync(0, 'utf8')
    appendFileSync('order', id)
    setTimeout(() => appendFileSync('order', id), 100)`)
  for (const id of ['a', 'b', 'c']) slow.run(id)
  await slow.close(GRACE_MS)
  expect(readFileSync(join(root, 'order'), 'utf8')).toBe('aabbcc')
  expect(troubles).toEqual([])
})

test('a program that does not read its input is no trouble', async () => {
  const deaf = script('require("fs").closeSync(0)')
  deaf.run('x'.repeat(1 << 22))
  await deaf.close(GRACE_MS)
  expect(troubles).toEqual([])
})

test.each([['missing', () => join(root, 'none')], ['below a file', () => join(process.execPath, 'none')], ['a folder', () => root]])('a program that is %s is told', async (_what, path) => {
  const missing = hook(path(), [])
  missing.run('{}')
  missing.run('{}')
  await missing.close(GRACE_MS)
  expect(troubles).toHaveLength(2)
  expect(troubles[0]).toContain('spawn')
})
