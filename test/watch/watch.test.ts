import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
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

test('of several answers that one row lost, each is told', async () => {
  const items = [question('db', 'Which?', ['Postgres', 'SQLite']), question('os', 'Where?', ['Linux', 'BSD'])]
  const lost = log({ format: 4 }).user('Go', (t) => t.program('await tools.ask_user_question({ questions })\nreturn "asked"', (p) => p.ask(items, { db: 'Postgres', os: 'BSD' }).returns('asked')))
  writeFileSync(join(root, 'session.v4.jsonl'), lost.toText())
  start({ all: true })
  await seen(['dropped-answer', 'dropped-answer'])
  expect(new Set(alerts.map((a) => a.finding.args['questionId']))).toEqual(new Set(['db', 'os']))
})

test.each([['nothing', 0], ['its header', 1], ['a dropped answer', first]])('what follows at once on a log that held %s when the watch began is told', async (_what, held) => {
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, part(0, held))
  start()
  // It has looked at the folder, and not yet read.
  appendFileSync(file, part(held, second))
  await seen(held < first ? ['dropped-answer', 'dropped-answer'] : ['dropped-answer'])
})

const HOURS = 7200
const setBack = (file: string): void => utimesSync(file, Date.now() / 1000 - HOURS, Date.now() / 1000 - HOURS)

test.each(['there before', 'moved in'])('an old log that goes on is told only what is new (%s)', async (where) => {
  const file = join(root, 'session.v4.jsonl')
  const elsewhere = join(root, 'elsewhere')
  writeFileSync(elsewhere, part(0, first))
  setBack(elsewhere)
  if (where === 'moved in') start()
  renameSync(elsewhere, file)
  if (where !== 'moved in') start()
  for (let i = 0; i < 8; i += 1) await pause()
  expect(alerts).toEqual([])
  appendFileSync(file, part(first, second))
  await seen(['dropped-answer'])
  expect(alerts[0]?.finding.at.line).toBe(second)
})

test('a question of an old log that is answered when the log goes on is not told as open', async () => {
  const asked = log({ startTime: Date.now() - HOURS * 1000 }).user('Go', (t) => t.program('return await tools.ask_user_question({})', (p) => p.ask([question('db', 'Which?', ['A', 'B'])], { db: 'A' }, HOURS * 1000).returns('A')))
  const text = asked.toText()
  const receipt = text.lastIndexOf('\n', text.indexOf('-dispatch"')) + 1
  expect(receipt).toBeGreaterThan(0)
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, text.slice(0, receipt))
  setBack(file)
  start({ openAfterMs: 1000 })
  await pause()
  appendFileSync(file, text.slice(receipt))
  for (let i = 0; i < 8; i += 1) await pause()
  expect(alerts).toEqual([])
})

test.skipIf(process.platform === 'win32')('a pipe in the place of a log does not hold up the end', async () => {
  const file = join(root, 'session.v4.jsonl')
  writeFileSync(file, part(0, first))
  start({ all: true })
  await seen(['dropped-answer'])
  rmSync(file)
  execFileSync('sh', ['-c', 'mkfifo "$0"', file])
  await pause()
  stop.abort()
  await running
})

test.skipIf(process.platform !== 'linux')('a log that the system does not let read is told once', async () => {
  const troubles: string[] = []
  running = watch(['/proc/self/mem'], { signal: stop.signal, wants: () => true, onAlert: () => undefined, onTrouble: (path, message) => troubles.push(`${path} ${message}`), openAfterMs: 1e9, pollMs: 20 })
  for (let i = 0; i < 12; i += 1) await pause()
  expect(troubles).toEqual([expect.stringContaining('/proc/self/mem cannot be read: EIO')])
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

test('a new generation of the log, whose rows have other numbers, is told only what is new', async () => {
  const old = stuck({ format: 0 }).toText().split(/(?<=\n)/)
  const drop = old.findIndex((line) => line.includes('"tool/result"') && line.includes('"asked"')) + 1
  start({ all: true })
  writeFileSync(join(root, 'session.jsonl'), old.slice(0, drop).join(''))
  await seen(['dropped-answer'])
  writeFileSync(join(root, 'session.v4.jsonl'), part(0, second))
  await seen(['dropped-answer', 'dropped-answer'])
  await pause()
  expect(new Set(alerts.map((a) => a.finding.args['questionId'])).size).toBe(2)
})

test('a new generation of a log that nobody followed, too', async () => {
  const old = stuck({ format: 0 }).toText().split(/(?<=\n)/)
  const drop = old.findIndex((line) => line.includes('"tool/result"') && line.includes('"asked"')) + 1
  writeFileSync(join(root, 'session.jsonl'), old.slice(0, drop).join(''))
  utimesSync(join(root, 'session.jsonl'), 1, 1)
  start()
  await pause()
  writeFileSync(join(root, 'session.v4.jsonl'), part(0, second))
  await seen(['dropped-answer'])
  await pause()
  expect(alerts).toHaveLength(1)
})

test('a question that waits too long is told', async () => {
  const asked = log({ startTime: Date.now() }).user('Go', (t) => t.program('await tools.ask_user_question({})', (p) => p.start('ask_user_question', { questions: [question('db', 'Which?', ['A', 'B'])] }).open()))
  start({ openAfterMs: 500 })
  await pause()
  writeFileSync(join(root, 'session.v4.jsonl'), asked.toText())
  await seen(['pending-question'])
  expect(alerts[0]?.finding.severity).toBe('warning')
})

test('of two questions of one step that wait too long, each is told', async () => {
  const ask = (id: string): unknown => ({ questions: [question(id, `${id}?`, ['A', 'B'])] })
  const asked = log({ startTime: Date.now() }).user('Go', (t) => t.program('await ask', (p) => p.start('ask_user_question', ask('db')).start('ask_user_question', ask('os')).open()))
  start({ openAfterMs: 500 })
  writeFileSync(join(root, 'session.v4.jsonl'), asked.toText())
  await seen(['pending-question', 'pending-question'])
})

test('files that are no logs are passed over', async () => {
  writeFileSync(join(root, 'other.jsonl'), '{"hello":1}\n')
  start({ all: true })
  writeFileSync(join(root, 'session.v4.jsonl'), part(0, first))
  await seen(['dropped-answer'])
})
