import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { triage } from '../../src/triage/index.ts'
import { take, type Work } from '../../src/triage/work.ts'
import { healthy, stuck } from '../support/fixtures.ts'

/** The first thread runs out of memory over the log that it took; the second finds nothing left to do. */
const runThread = vi.hoisted(() => vi.fn<(work: Work) => Promise<string | null>>())
vi.mock('../../src/triage/thread.ts', () => ({ runThread }))

test('a log that breaks its thread is a failure of its own: another thread goes on, and the others are judged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-triage-'))
  const id = (n: number): string => `session-0000000${n}-0000-4000-8000-000000000000`
  const long = healthy({ format: 4, id: id(2) }).user('x'.repeat(1 << 21))
  writeFileSync(join(folder, 'a.jsonl'), stuck({ format: 4, id: id(1) }).toText())
  writeFileSync(join(folder, 'b.jsonl'), long.toText())
  writeFileSync(join(folder, 'c.jsonl'), healthy({ format: 4, id: id(3) }).toText())
  runThread.mockImplementationOnce(async ({ jobs, takenBy, self }) => {
    const job = jobs.find(({ file }) => file.endsWith('b.jsonl'))
    return job && take(takenBy, job.place, self) ? 'out of memory' : 'took nothing'
  }).mockResolvedValueOnce(null)
  const { rows, failures, done } = await triage([folder])
  expect(failures).toEqual([{ source: join(folder, 'b.jsonl'), code: 'crashed', text: 'out of memory', rule: null }])
  expect(rows.map((row) => [row.id, row.verdict])).toEqual([[id(1), 'sick'], [id(3), 'healthy']])
  expect([done, runThread.mock.calls.length]).toEqual([3, 2])
  rmSync(folder, { recursive: true })
})
