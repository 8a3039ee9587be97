import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { trace } from '../../src/trace.ts'

const LOG = 'fixtures/stuck-goal-run/session.jsonl'

describe('trace', () => {
  test('follows one answer through call, receipt and outer result, with the rows of the log', async () => {
    const all = await trace(LOG, '0', { replay: false }).catch((error: unknown) => String(error))
    expect(all).toContain('0 is no question')
    const [first] = await trace(LOG, String(await anySeq()), { replay: false })
    expect(first?.rows.map((r) => r.layer)).toEqual(['call', 'asked', 'receipt', 'outer'])
    for (const row of first?.rows ?? []) expect(JSON.parse(row.raw ?? '{}')).toMatchObject({ seq: row.seq })
    expect(first?.program?.lines.some((l) => l.mark?.includes('asks here'))).toBe(true)
    expect(first?.after?.idle).toBeGreaterThan(0)
  })

  test('a question id, its sub call id and its seq name the same answer', async () => {
    const [bySeq] = await trace(LOG, String(await anySeq()), { replay: false })
    const id = bySeq?.answer.questionId ?? ''
    const sub = bySeq?.answer.subCallId ?? ''
    expect((await trace(LOG, id, { replay: false }))[0]?.answer.subCallId).toBe(sub)
    expect((await trace(LOG, sub, { replay: false }))[0]?.answer.questionId).toBe(id)
  })

  test('a slip of the finger gets the nearest question', async () => {
    const [bySeq] = await trace(LOG, String(await anySeq()), { replay: false })
    const id = bySeq?.answer.questionId ?? ''
    await expect(trace(LOG, `${id}x`, { replay: false })).rejects.toThrow(`did you mean ${id}?`)
  })

  test('a path without a log says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inquest-'))
    writeFileSync(join(folder, 'notes.txt'), 'nothing')
    await expect(trace(folder, 'x')).rejects.toMatchObject({ name: 'InputError' })
  })
})

async function anySeq(): Promise<number> {
  const { diagnose } = await import('../../src/index.ts')
  const report = await diagnose(LOG, { replay: false })
  return report.sessions[0]?.answers[0]?.askedSeq ?? -1
}
