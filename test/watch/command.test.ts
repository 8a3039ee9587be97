/** `inquest watch` as people start it; `npm test` builds it first. */
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isRecord, tryJson } from '../../src/model/canonical.ts'
import { stuck } from '../support/fixtures.ts'
import { zstdFrame } from '../support/zstd.ts'

const BIN = fileURLToPath(new URL('../../bin/inquest.js', import.meta.url))
/** What is told within a second on a free machine, on a busy one. */
const SOON_MS = 10_000
vi.setConfig({ testTimeout: 240_000 })

let root = ''
let started: ChildProcessWithoutNullStreams[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inquest-watch-'))
  started = []
})
afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

interface Running {
  readonly out: () => string
  readonly err: () => string
  /** `rule` of every line of ndjson. */
  readonly rules: () => unknown[]
  readonly interrupt: () => Promise<number | null>
  /** Nobody reads on; gives the exit code. */
  readonly close: () => Promise<number | null>
}

/** With `--all`: what is told depends on the log, not on when the watch was ready. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Running {
  let out = ''
  let err = ''
  const child = spawn(process.execPath, [BIN, 'watch', '--all', ...args], { cwd: root, env })
  started.push(child)
  child.stdout.on('data', (data) => { out += String(data) })
  child.stderr.on('data', (data) => { err += String(data) })
  const ended = new Promise<number | null>((resolve) => { child.once('close', resolve) })
  const rules = (): unknown[] => out.split('\n').map(tryJson).flatMap((line) => (isRecord(line) ? [line['rule']] : []))
  return { out: () => out, err: () => err, rules, interrupt: async () => { child.kill('SIGINT'); return ended }, close: async () => { child.stdout.destroy(); return ended } }
}

const soon = async (what: () => unknown, expected: unknown, timeout = 100_000): Promise<void> => {
  await expect.poll(what, { timeout, interval: 20 }).toEqual(expected)
}

/** Rows up to the first question, its answer, the result without it, the same for the second, and to the end of four idle rounds. */
function script(format: 3 | 4): { readonly upTo: (mark: keyof typeof marks) => string } {
  const lines = stuck({ format, startTime: Date.now() }).toText().split(/(?<=\n)/)
  return { upTo: (mark) => lines.slice(0, marks[mark](lines)).join('') }
}
const nth = (lines: readonly string[], n: number, is: (line: string) => boolean): number => (lines.flatMap((line, i) => (is(line) ? [i] : []))[n] ?? Number.NaN) + 1
const isStart = (line: string): boolean => line.includes('-dispatch-start"') && line.includes('ask_user_question')
const isDrop = (line: string): boolean => line.includes('"tool/result"') && line.includes('"asked"')
const marks = {
  asked: (lines: readonly string[]) => nth(lines, 0, isStart),
  dropped: (lines: readonly string[]) => nth(lines, 0, isDrop),
  second: (lines: readonly string[]) => nth(lines, 1, isDrop),
  end: (lines: readonly string[]) => lines.length,
}
const DROPS = ['--rule', 'dropped-answer', '--format', 'ndjson']

test('an unguarded question, the wait for its answer, the lost answer and the idle rounds are told one by one, as they are written', async () => {
  const { upTo } = script(4)
  const file = join(root, 'session.v4.jsonl')
  const watch = start(['--format', 'ndjson', '--open-after', '1', root])
  writeFileSync(file, upTo('asked'))
  await soon(watch.rules, ['unguarded-question', 'pending-question'])
  appendFileSync(file, upTo('dropped').slice(upTo('asked').length))
  await soon(() => watch.rules().includes('dropped-answer'), true)
  expect(watch.rules()).not.toContain('idle-rounds')
  appendFileSync(file, upTo('end').slice(upTo('dropped').length))
  await soon(() => watch.rules().includes('idle-rounds'), true)
})

test('a finding is told soon after its row is written', { retry: 2 }, async () => {
  const { upTo } = script(4)
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, upTo('dropped'))
  const watch = start([...DROPS, root])
  await soon(watch.rules, ['dropped-answer'])
  const written = performance.now()
  appendFileSync(file, upTo('second').slice(upTo('dropped').length))
  await soon(watch.rules, ['dropped-answer', 'dropped-answer'], SOON_MS)
  console.log(`told ${Math.round(performance.now() - written)} ms after the row`)
})

test('a line of ndjson has the finding and its session', async () => {
  writeFileSync(join(root, 'session.v4.jsonl'), script(4).upTo('dropped'))
  const watch = start([...DROPS, root])
  await soon(watch.rules, ['dropped-answer'])
  expect(tryJson(watch.out())).toMatchObject({ session: expect.stringContaining('session-'), source: join(root, 'session.v4.jsonl'), cwd: '/srv/importer', rule: 'dropped-answer', severity: 'error', at: { turn: 1 } })
  expect(watch.err()).toBe('')
})

test('--bell rings, and text names the finding and its place', async () => {
  writeFileSync(join(root, 'session.v4.jsonl'), script(4).upTo('dropped'))
  const watch = start(['--rule', 'dropped-answer', '--bell', root])
  await soon(() => watch.err().includes('\u0007'), true)
  expect(watch.out()).toMatch(/^error dropped-answer: .+\n.*session\.v4\.jsonl:\d+\n/)
})

/** A program of the user, in JavaScript. */
function hook(body: string): string {
  const path = join(root, 'hook.cjs')
  writeFileSync(path, `#!${process.execPath}\nconst fs = require('node:fs')\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

test('--exec gets the finding as JSON on its standard input, and its words as they are', async () => {
  const got = join(root, 'got.json')
  const program = hook(`fs.writeFileSync(${JSON.stringify(`${got}.part`)}, JSON.stringify({ args: process.argv.slice(2), input: fs.readFileSync(0, 'utf8') }))\nfs.renameSync(${JSON.stringify(`${got}.part`)}, ${JSON.stringify(got)})`)
  writeFileSync(join(root, 'session.v4.jsonl'), script(4).upTo('dropped'))
  start([...DROPS, '--exec', `${program} $(touch\tpwned) ;touch pwned; && > pwned *  "a`, root])
  await soon(() => existsSync(got), true)
  const call = tryJson(readFileSync(got, 'utf8'))
  expect(call).toMatchObject({ args: ['$(touch', 'pwned)', ';touch', 'pwned;', '&&', '>', 'pwned', '*', '"a'] })
  expect(isRecord(call) && typeof call['input'] === 'string' ? tryJson(call['input']) : null).toMatchObject({ rule: 'dropped-answer', cwd: '/srv/importer' })
  expect(existsSync(join(root, 'pwned'))).toBe(false)
})

test.each([
  ['missing', () => join(root, 'no-such-program'), /--exec: .*no-such-program.*ENOENT/],
  ['failing', () => hook('process.exit(7)'), /--exec: .*hook\.cjs ended with exit code 7/],
])('a %s program is told, and the watch goes on', async (_what, program, message) => {
  const { upTo } = script(4)
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, upTo('dropped'))
  const watch = start([...DROPS, '--exec', program(), root])
  await soon(() => message.test(watch.err()), true)
  appendFileSync(file, upTo('second').slice(upTo('dropped').length))
  await soon(watch.rules, ['dropped-answer', 'dropped-answer'])
  expect(await watch.interrupt()).toBe(0)
})

test('a program that hangs holds up neither the findings nor the end', async () => {
  const { upTo } = script(4)
  const file = join(root, 'session.v4.jsonl')
  const runs = join(root, 'runs')
  writeFileSync(file, upTo('dropped'))
  const watch = start([...DROPS, '--exec', hook(`fs.appendFileSync(${JSON.stringify(runs)}, 'x')\nsetInterval(() => {}, 1000)`), root])
  await soon(() => existsSync(runs), true)
  appendFileSync(file, upTo('second').slice(upTo('dropped').length))
  await soon(watch.rules, ['dropped-answer', 'dropped-answer'])
  expect(await watch.interrupt()).toBe(0)
  expect(watch.err()).toContain('did not run for the last 1 finding')
  expect(watch.err()).toContain('was ended with the watch')
  expect(readFileSync(runs, 'utf8')).toBe('x')
})

test('when nobody reads on, the watch ends at the next finding', async () => {
  const { upTo } = script(4)
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, upTo('dropped'))
  const watch = start([...DROPS, root])
  await soon(watch.rules, ['dropped-answer'])
  const ended = watch.close()
  appendFileSync(file, upTo('second').slice(upTo('dropped').length))
  expect(await ended).toBe(0)
  expect(watch.err()).toBe('')
})

test('no program is wrong usage', async () => {
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'watch', '--exec', ' ', root], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toContain('--exec')
})

test('the folder may come later, go and come back; a file may shrink back', async () => {
  const { upTo } = script(4)
  const home = join(root, 'home')
  const folder = join(home, 'sessions', 'importer', 'session')
  const file = join(folder, 'session.v4.jsonl')
  const watch = start(DROPS, { ...process.env, DSH_HOME: home })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, upTo('asked'))
  appendFileSync(file, upTo('dropped').slice(upTo('asked').length))
  await soon(watch.rules, ['dropped-answer'])
  appendFileSync(file, '{"type":"tool/re')
  truncateSync(file, Buffer.byteLength(upTo('dropped')))
  rmSync(home, { recursive: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, upTo('dropped'))
  appendFileSync(file, 'x'.repeat(40))
  truncateSync(file, Buffer.byteLength(upTo('dropped')))
  appendFileSync(file, upTo('second').slice(upTo('dropped').length))
  await soon(watch.rules, ['dropped-answer', 'dropped-answer'])
  expect(await watch.interrupt()).toBe(0)
})

test('a new generation of the session is followed, and told only what is new', async () => {
  const [old, next] = [script(3), script(4)]
  const watch = start([...DROPS, root])
  writeFileSync(join(root, 'session.v3.jsonl'), old.upTo('dropped'))
  await soon(watch.rules, ['dropped-answer'])
  writeFileSync(join(root, 'session.v4.jsonl'), next.upTo('dropped'))
  appendFileSync(join(root, 'session.v4.jsonl'), next.upTo('second').slice(next.upTo('dropped').length))
  await soon(watch.rules, ['dropped-answer', 'dropped-answer'])
})

test.each(['plain', 'zstd'])('a watch that is started again goes on with a log that was there before (%s)', async (encoding) => {
  const { upTo } = script(4)
  const file = join(root, `session.v4.jsonl${encoding === 'zstd' ? '.zstd' : ''}`)
  const encoded = async (text: string): Promise<Buffer> => (encoding === 'zstd' ? zstdFrame(text) : Buffer.from(text))
  writeFileSync(file, await encoded(upTo('dropped')))
  const first = start([...DROPS, root])
  await soon(first.rules, ['dropped-answer'])
  expect(await first.interrupt()).toBe(0)
  const again = start([...DROPS, root])
  await soon(again.rules, ['dropped-answer'])
  appendFileSync(file, await encoded(upTo('second').slice(upTo('dropped').length)))
  await soon(again.rules, ['dropped-answer', 'dropped-answer'])
  expect(await again.interrupt()).toBe(0)
})
