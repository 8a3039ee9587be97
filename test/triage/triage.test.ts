import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, test, vi } from 'vitest'
import { writeAtomically } from '../../src/cli/output.ts'
import { triageLines, triageMarkdown, triageText } from '../../src/triage/print.ts'
import { Cache } from '../../src/triage/cache.ts'
import { triage } from '../../src/triage/index.ts'
import { clustersOf, ranked } from '../../src/triage/row.ts'
import type { FileState } from '../../src/source/files.ts'
import { healthy, native, stuck } from '../support/fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'inquest-triage-'))
afterAll(() => rmSync(folder, { recursive: true }))

const id = (n: number): string => `session-0000000${n}-0000-4000-8000-000000000000`
const logs = join(folder, 'logs')
const put = (name: string, text: string): void => writeFileSync(join(folder, 'logs', name), text)
mkdirSync(logs)
put('a.jsonl', healthy({ format: 0, id: id(1) }).toText())
put('b.jsonl', stuck({ format: 0, id: id(2) }).toText())
put('c.jsonl', stuck({ format: 4, id: id(3), startTime: 1_790_000_000_000 }).toText())
put('d.jsonl', native({ format: 4, id: id(4) }).toText())
// Begins like a log, of a format that nobody knows yet.
put('e.jsonl', '{"type":"session","version":99,"id":"x","createdAt":1,"delegationDepth":0}\n')

// Threads take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const seen: string[] = []
const judged = triage([logs], { onRow: (row) => seen.push(row.id) })

test('every log is judged, and one that cannot be read stops nothing', async () => {
  const { rows, failures, logs: found, stopped } = await judged
  expect(rows.map((r) => [r.id, r.verdict])).toEqual([[id(1), 'healthy'], [id(2), 'sick'], [id(3), 'sick'], [id(4), 'healthy']])
  expect(failures.map((f) => f.code)).toEqual(['unsupported-version'])
  expect([found, stopped]).toEqual([4, false])
})

test('rows come in the order of the logs, whichever thread was first', async () => {
  await judged
  expect(seen).toEqual([1, 2, 3, 4].map(id))
})

test('the worst comes first, and sessions with the same faults stand together', async () => {
  const { rows } = await judged
  expect(ranked(rows).map((r) => r.id).slice(0, 2).toSorted()).toEqual([id(2), id(3)])
  const [cluster, ...others] = clustersOf(rows)
  expect(others).toEqual([])
  expect(cluster).toMatchObject({ sessions: 2, alike: 2 })
  expect(cluster?.rules).toContain('dropped-answer')
})

/** As another process would see it. */
const cacheIn = (name: string): Cache => new Cache(join(folder, name), writeAtomically)

test('a second run comes from the cache, a changed log does not', async () => {
  const first = await triage([logs], { cache: cacheIn('cache') })
  const second = await triage([logs], { cache: cacheIn('cache') })
  expect([first.cached, second.cached]).toEqual([0, 4])
  expect(second.rows).toEqual(first.rows)
  put('a.jsonl', stuck({ format: 0, id: id(1) }).toText())
  const third = await triage([logs], { cache: cacheIn('cache') })
  expect(third.cached).toBe(3)
  expect(third.rows[0]?.verdict).toBe('sick')
  put('a.jsonl', healthy({ format: 0, id: id(1) }).toText())
})

test('another log of the same size and time of change is another log', async () => {
  const file = join(logs, 'a.jsonl')
  const { atime, mtime } = statSync(file)
  await triage([logs], { cache: cacheIn('cache') })
  writeFileSync(file, healthy({ format: 0, id: id(9) }).toText())
  utimesSync(file, atime, mtime)
  const { rows, cached } = await triage([logs], { cache: cacheIn('cache') })
  expect([cached, rows[0]?.id]).toEqual([3, id(9)])
  put('a.jsonl', healthy({ format: 0, id: id(1) }).toText())
})

test('which of two logs of one session is the fuller one is known too', async () => {
  const twins = join(folder, 'twins')
  mkdirSync(twins)
  const text = healthy({ format: 4, id: id(5) }).toText()
  writeFileSync(join(twins, 'a.jsonl'), text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1))
  writeFileSync(join(twins, 'b.jsonl'), text)
  const first = await triage([twins], { cache: cacheIn('cache') })
  const second = await triage([twins], { cache: cacheIn('cache') })
  expect(second).toEqual({ ...first, cached: 1 })
  expect(second.rows.map((r) => r.source)).toEqual([join(twins, 'b.jsonl')])
})

test('a damaged cache is as good as none', async () => {
  const damaged = (): Cache => new Cache(join(folder, 'damaged'), (path) => writeFileSync(path, '{"row":'))
  const first = await triage([logs], { cache: damaged() })
  const second = await triage([logs], { cache: damaged() })
  expect(second.cached).toBe(0)
  expect(second.rows).toEqual(first.rows)
})

test.runIf(existsSync('/proc/self'))('a cache below a folder that the system denies stops nothing', () => {
  const cache = new Cache('/proc/nowhere/dsh-inquest/v1', writeAtomically)
  cache.put({ real: '/a', stamp: '1' }, 'x', 1)
  cache.save()
  expect(cache.get({ real: '/a', stamp: '1' }, 'x')).toBe(1)
})

test('a cache that cannot be written stops nothing', async () => {
  writeFileSync(join(folder, 'file'), '')
  expect((await triage([logs], { cache: new Cache(join(folder, 'file', 'cache'), writeAtomically) })).rows).toHaveLength(4)
})

const state = (name: string, stamp = '1'): FileState => ({ real: join(logs, name), stamp })

test('what two processes note at the same time is kept, and what is gone is forgotten', () => {
  const [one, two] = [cacheIn('shared'), cacheIn('shared')]
  for (const name of ['a.jsonl', 'b.jsonl', 'gone.jsonl']) {
    one.put(state(name), 'one', name)
    two.get(state(name), 'one')
  }
  one.save()
  for (const name of ['c.jsonl', 'd.jsonl']) two.put(state(name), 'two', name)
  two.save()
  const later = cacheIn('shared')
  expect(['a', 'b', 'gone'].map((name) => later.get(state(`${name}.jsonl`), 'one'))).toEqual(['a.jsonl', 'b.jsonl', undefined])
  expect(['c', 'd'].map((name) => later.get(state(`${name}.jsonl`), 'two'))).toEqual(['c.jsonl', 'd.jsonl'])
  expect(later.get(state('a.jsonl', '2'), 'one')).toBeUndefined()
})

test('the notes on one file do not grow without end', () => {
  const cache = cacheIn('notes')
  for (let i = 0; i < 20; i += 1) cache.put(state('a.jsonl'), `subject ${i}`, i)
  cache.save()
  const later = cacheIn('notes')
  expect(Array.from({ length: 20 }, (_, i) => later.get(state('a.jsonl'), `subject ${i}`)).filter((note) => note !== undefined)).toEqual([12, 13, 14, 15, 16, 17, 18, 19])
})

test('stopped early, it gives what is known', async () => {
  const stop = new AbortController()
  const result = await triage([logs], { signal: stop.signal, onProgress: () => stop.abort() })
  expect(result.stopped).toBe(true)
  expect(result.rows.length).toBeLessThan(4)
  expect(triageText(result, { color: false, unicode: true, width: 100, verbosity: 'normal' })).toContain('stopped after')
})

test('the findings load into DuckDB as they are', async () => {
  const { rows } = await judged
  const file = join(folder, 'findings.ndjson')
  writeFileSync(file, rows.map(triageLines).join(''))
  const connection = await (await DuckDBInstance.create()).connect()
  const byRule = await connection.runAndReadAll(`select rule, count(distinct session)::int from read_ndjson_auto('${file}') where severity = 'error' group by rule order by 2 desc, 1`)
  expect(byRule.getRows()).toContainEqual(['dropped-answer', 2])
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const queries = [...readme.matchAll(/```sql\n([^]*?)```/g)].flatMap(([, sql = '']) => sql.split(/;\n/)).filter((sql) => sql.trim() !== '')
  expect(queries).toHaveLength(2)
  for (const sql of queries) expect((await connection.runAndReadAll(sql.replace('findings.ndjson', file))).currentRowCount).toBeGreaterThan(0)
  const where = await connection.runAndReadAll(`select distinct source, cwd from read_ndjson_auto('${file}') where rule = 'dropped-answer' and "at".turn is not null order by 1`)
  expect(where.getRows()).toEqual([[join(logs, 'b.jsonl'), '/srv/importer'], [join(logs, 'c.jsonl'), '/srv/importer']])
})

test('text from a log is no markup', async () => {
  const { rows, ...rest } = await judged
  const text = triageMarkdown({ ...rest, rows: rows.map((row) => ({ ...row, headline: '<b>|`x`' })) })
  expect(text).toContain('\\<b\\>\\|\\`x\\`')
})

test('every place stands in full, and what is not shown is counted by verdict', async () => {
  const result = await judged
  const text = triageText(result, { color: false, unicode: true, width: 60, verbosity: 'normal' })
  expect(text).toMatch(/^4 sessions: 2 sick, 2 healthy, 1 not analysed\n/)
  for (const name of ['b.jsonl', 'c.jsonl', 'e.jsonl']) expect(text).toContain(join(logs, name))
  expect(text).toContain('Not shown: 2 healthy; --verbose shows all')
  expect(text).toMatch(/\n2 sessions {4}.*dropped-answer.*\n {14}all with the same words · \d+ rounds burned · e\.g\. /)
})
