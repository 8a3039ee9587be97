import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watch, type Alert, type WatchOptions } from '../../src/watch/index.ts'
import { stuck } from '../support/fixtures.ts'
import { log, question } from '../support/log.ts'
import { zstdFrame } from '../support/zstd.ts'

let root = ''
let stop = new AbortController()
let running: Promise<void> = Promise.resolve()
let alerts: Alert[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inquest-watch-'))
  stop = new AbortController()
  alerts = []
})
afterEach(async () => {
  stop.abort()
  await running
  rmSync(root, { recursive: true })
})

function start(over: Partial<WatchOptions> = {}): void {
  running = watch([root], { signal: stop.signal, wants: ({ rule }) => rule === 'dropped-answer' || rule === 'pending-question', onAlert: (a) => alerts.push(a), openAfterMs: 1e9, pollMs: 20, replay: false, ...over })
}

const seen = async (rules: readonly string[]): Promise<void> => {
  await expect.poll(() => alerts.map((a) => a.finding.rule), { timeout: 20_000, interval: 20 }).toEqual(rules)
}
const pause = async (): Promise<void> => { await new Promise((resolve) => { setTimeout(resolve, 300) }) }

const lines = stuck({ format: 4 }).toText().split(/(?<=\n)/)
/** Up to the first dropped answer; up to the second. */
const drops = lines.flatMap((line, i) => (line.includes('"tool/result"') && line.includes('"asked"') ? [i + 1] : []))
const [first = 0, second = 0] = drops
const part = (from: number, to: number): string => lines.slice(from, to).join('')

test('a dropped answer is told when the row is written, once', async () => {
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, part(0, first - 1))
  start()
  await pause()
  appendFileSync(file, part(first - 1, first))
  await seen(['dropped-answer'])
  appendFileSync(file, part(first, second - 1))
  await pause()
  expect(alerts).toHaveLength(1)
  appendFileSync(file, part(second - 1, second))
  await seen(['dropped-answer', 'dropped-answer'])
})

test('what was wrong before is only told on demand', async () => {
  writeFileSync(join(root, 'session.v4.jsonl'), part(0, first))
  start()
  await pause()
  expect(alerts).toEqual([])
  stop.abort()
  await running
  stop = new AbortController()
  start({ all: true })
  await seen(['dropped-answer'])
})

test('a new session is found, also as zstd in frames', async () => {
  start()
  await pause()
  const folder = join(root, 'project', 'session')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'session.v4.jsonl.zstd')
  writeFileSync(file, await zstdFrame(part(0, 1)))
  appendFileSync(file, await zstdFrame(part(1, first - 1)))
  await pause()
  const frame = await zstdFrame(part(first - 1, first))
  appendFileSync(file, frame.subarray(0, 30))
  await pause()
  appendFileSync(file, frame.subarray(30))
  await seen(['dropped-answer'])
})

test('a long zstd log is told as soon as a short one', async () => {
  const file = join(root, 'session.v4.jsonl.zstd')
  const long = log({ format: 4 }).user('lorem ipsum\n'.repeat(1 << 20))
  writeFileSync(file, await zstdFrame(long.drain()))
  const rest = long.user('Go', (t) => t.program('await tools.ask_user_question({ questions: [{ id: "db", question: "Which?" }] })\nreturn "asked"',
    (p) => p.ask([question('db', 'Which?', ['Postgres', 'SQLite'])], { db: 'Postgres' }).returns('asked'))).drain()
  start({ all: true })
  // Time enough for a thread to be started and the rest to be handed over to it.
  for (let i = 0; i < 20; i += 1) await pause()
  appendFileSync(file, await zstdFrame(rest))
  await seen(['dropped-answer'])
})

test('a failed append that is taken back changes nothing', async () => {
  const file = join(root, 'session.v4.jsonl')
  const before = part(0, first - 1)
  writeFileSync(file, before)
  start()
  await pause()
  appendFileSync(file, '{"type":"tool/resu')
  await pause()
  truncateSync(file, Buffer.byteLength(before))
  appendFileSync(file, part(first - 1, first))
  await seen(['dropped-answer'])
})

test('a file may be deleted and come back, or be replaced', async () => {
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, part(0, first - 1))
  start()
  await pause()
  rmSync(file)
  await pause()
  writeFileSync(file, part(0, first))
  await seen(['dropped-answer'])
  writeFileSync(`${file}.new`, part(0, second))
  renameSync(`${file}.new`, file)
  await seen(['dropped-answer', 'dropped-answer'])
})

test('a question that waits too long is told', async () => {
  const asked = log({ startTime: Date.now() }).user('Go', (t) => t.program('await tools.ask_user_question({})', (p) => p.start('ask_user_question', { questions: [question('db', 'Which?', ['A', 'B'])] }).open()))
  start({ openAfterMs: 500 })
  await pause()
  writeFileSync(join(root, 'session.v4.jsonl'), asked.toText())
  await seen(['pending-question'])
  expect(alerts[0]?.finding.severity).toBe('warning')
})

test('files that are no logs are passed over', async () => {
  writeFileSync(join(root, 'other.jsonl'), '{"hello":1}\n')
  start({ all: true })
  writeFileSync(join(root, 'session.v4.jsonl'), part(0, first))
  await seen(['dropped-answer'])
})
