import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orderFailures, summarise } from '../../src/report/assemble.ts'
import { parseAssertion } from '../../src/report/assertions.ts'
import { applyBaseline } from '../../src/report/baseline.ts'
import { judge, type Policy } from '../../src/report/check.ts'
import { mergeReports } from '../../src/report/merge.ts'
import type { BaselineEntry, Report, SessionReport } from '../../src/report/schema.ts'
import { json } from '../../src/reporters/json.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

const entry = (rule: string, fingerprint: string): BaselineEntry => ({ rule, fingerprint, text: '', reason: 'known' })
const entries = [entry('dropped-answer', '0123456789abcdef'), entry('idle-rounds', '3123456789abcdef'), entry('lost-answer', 'gone')]
const policy: Policy = { failOn: 'error', max: { 'dropped-answer': 1 }, pruneCheck: true, assertions: ['goal.phase == complete', 'rounds <= 10'].map(parseAssertion) }

/** As the command does it, over the sessions at these places. `null` in `logs` is a log that could not be read. */
function checked(logs: readonly (SessionReport | null)[], shard: { index: number; count: number } | null): Report {
  const order = logs.flatMap((log, place) => (log !== null && (shard === null || place % shard.count === shard.index - 1) ? [place] : []))
  const missing = logs.flatMap((log, place) => (log === null && (shard === null || place % shard.count === shard.index - 1) ? [place] : []))
  const everywhere = { source: 'nowhere', code: 'not-found', text: 'no such file', rule: null }
  const sessions = order.flatMap((place) => logs[place] ?? [])
  const raw = { ...report(sessions), failures: orderFailures([everywhere, ...missing.map((place) => ({ source: `log ${place}`, code: 'not-a-log', text: 'no header', rule: null }))]) }
  const { report: left, stale } = applyBaseline({ ...raw, summary: summarise(sessions), shard: shard && { ...shard, order } }, { schemaVersion: 1, entries }, (s) => s)
  return judge(left, policy, stale)
}

const logs = fc.array(fc.constantFrom<SessionReport | null>(null, session(), stuckSession(), session({ goals: [], findings: [finding({ rule: 'lost-answer' })], verdict: 'sick' }))
  .chain((log) => fc.nat(5).map((n) => log && { ...log, source: `${n}/${log.source}` })), { maxLength: 8 })

test('the merged parts are the whole, byte for byte, in whatever order they come', () => {
  fc.assert(fc.property(logs, fc.integer({ min: 1, max: 4 }), fc.boolean(), (all, count, backwards) => {
    const parts = Array.from({ length: count }, (_, i) => checked(all, { index: i + 1, count }))
    const read = parts.map((part): Report => JSON.parse(json(part)))
    expect(json(mergeReports(backwards ? read.toReversed() : read))).toBe(json(checked(all, null)))
  }))
})

test('a part does not fail for what only the whole can tell', () => {
  const healthy = [session({ goals: [], rounds: [] }), session()]
  const [first, second] = [1, 2].map((index) => checked(healthy, { index, count: 2 }))
  expect(first?.check).toMatchObject({ passed: true, stale: entries })
  expect(second?.check?.passed).toBe(true)
  expect(checked(healthy, null).check?.passed).toBe(false)
})

test('whole reports are put one after the other', () => {
  expect(mergeReports([report([session()]), report([stuckSession()])]).sessions.map((s) => s.verdict)).toEqual(['healthy', 'sick'])
})

describe('what does not belong together', () => {
  const part = (index: number, count: number) => checked([session(), stuckSession()], { index, count })
  test.each<[string, Report[]]>([
    ['shard 2/2 is missing', [part(1, 2)]],
    ['shard 1/2 is given 2 times', [part(1, 2), part(1, 2), part(2, 2)]],
    ['shards of different runs', [part(1, 2), part(2, 3)]],
    ['some reports are shards', [part(1, 1), checked([session()], null)]],
    ['different settings', [part(1, 2), { ...part(2, 2), check: null }]],
    ['different versions', [report([]), { ...report([]), tool: { name: 'dsh-inquest', version: '9.9.9' } }]],
    ['nothing to merge', []],
  ])('%s', (message, reports) => {
    expect(() => mergeReports(reports)).toThrow(message)
  })
})
