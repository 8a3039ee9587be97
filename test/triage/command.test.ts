/** `inquest triage` as people start it; `npm test` builds it first. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { healthy, stuck } from '../support/fixtures.ts'

const BIN = fileURLToPath(new URL('../../bin/inquest.js', import.meta.url))
vi.setConfig({ testTimeout: 240_000 })

const folder = mkdtempSync(join(tmpdir(), 'inquest-triage-'))
let started: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of started) child.kill('SIGKILL')
  started = []
})
afterAll(() => rmSync(folder, { recursive: true }))

const LOGS = 240
const id = (n: number): string => `session-${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
const logs = join(folder, 'logs')
mkdirSync(logs)
const [sick, well] = [stuck({ format: 4, id: id(0) }).toText(), healthy({ format: 4, id: id(0) }).toText()]
for (let n = 0; n < LOGS; n += 1) writeFileSync(join(logs, `${String(n).padStart(4, '0')}.jsonl`), (n % 3 === 0 ? sick : well).replaceAll(id(0), id(n)))

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

function start(args: readonly string[]): { readonly child: ChildProcessWithoutNullStreams; readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [BIN, 'triage', ...args], { env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') } })
  started.push(child)
  let out = ''
  let err = ''
  child.stdout.on('data', (data) => { out += String(data) })
  child.stderr.on('data', (data) => { err += String(data) })
  return { child, ended: new Promise((resolve) => { child.once('close', (code, signal) => resolve({ code, signal, out, err })) }) }
}

const said = async (stream: NodeJS.ReadableStream): Promise<unknown> => new Promise((resolve) => { stream.once('data', resolve) })

test('rows come before the end, and Ctrl-C tells how many of how many', async () => {
  const { child, ended } = start(['--format', 'ndjson', '--no-cache', logs])
  await said(child.stdout)
  child.kill('SIGINT')
  const { code, out, err } = await ended
  expect(code).toBe(130)
  const [, done, all] = /stopped after (\d+) of (\d+) logs/.exec(err) ?? []
  expect(Number(all)).toBe(LOGS)
  expect(Number(done)).toBeGreaterThan(0)
  expect(Number(done)).toBeLessThan(LOGS)
  // Whole lines, of sessions that were judged.
  const sessions = new Set(out.trimEnd().split('\n').map((line) => String(Object(JSON.parse(line)).session)))
  expect(sessions.size).toBeGreaterThan(0)
  expect(sessions.size).toBeLessThanOrEqual(Number(done))
})

test('a second Ctrl-C ends it at once', async () => {
  const { child, ended } = start(['-'])
  // More than a pipe holds: when it is gone, the command reads. It waits for an end that does not come.
  await new Promise((resolve) => { child.stdin.write('x'.repeat(1 << 20), resolve) })
  child.kill('SIGINT')
  expect(String(await said(child.stderr))).toContain('Ctrl-C again ends at once')
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' })
})

test('what was known at Ctrl-C is known to the next run, whose result is that of a run without a cache', async () => {
  const { child, ended } = start(['--format', 'ndjson', logs])
  await said(child.stdout)
  child.kill('SIGINT')
  await ended
  const rest = await start(['--format', 'json', logs]).ended
  const bare = await start(['--format', 'json', '--no-cache', logs]).ended
  expect(rest.out).toBe(bare.out)
  expect((await start([logs]).ended).out).toContain(`(${LOGS} from the cache)`)
})
