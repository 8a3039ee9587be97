import { expect, test } from 'vitest'
import { applyBaseline, sourceName, updateBaseline, type Baseline } from '../../src/report/baseline.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

const none: Baseline = { schemaVersion: 1, entries: [] }
const same = (source: string) => source
const stuck = report([stuckSession()])

test('what was accepted counts no more, and the incident made of it is gone', () => {
  const baseline = updateBaseline(stuck, none, 'error', 'known', same)
  const { report: left, stale } = applyBaseline(stuck, baseline, same)
  expect(left.sessions[0]?.findings.map((f) => f.rule)).toEqual(['unguarded-question', 'slow-answer'])
  expect(left.sessions[0]?.accepted.map((f) => [f.rule, f.reason])).toEqual([['dropped-answer', 'known'], ['dropped-answer', 'known'], ['idle-rounds', 'known']])
  expect(left.sessions[0]?.incidents).toEqual([])
  expect([left.sessions[0]?.verdict, left.summary.verdict, left.summary.findings]).toEqual(['suspect', 'suspect', { error: 0, warning: 1, info: 1 }])
  expect(stale).toEqual([])
})

test('an incident keeps the findings that were not accepted', () => {
  const baseline = updateBaseline(report([session({ source: 'runs/stuck/session.jsonl', findings: stuckSession().findings.slice(0, 1) })]), none, 'error', 'known', same)
  const [incident] = applyBaseline(stuck, baseline, same).report.sessions[0]?.incidents ?? []
  expect([incident?.causes, incident?.effects]).toEqual([['f2'], ['f4']])
})

test('an entry accepts only in its own log, without a source in every log', () => {
  const entry = { fingerprint: finding().fingerprint, rule: 'dropped-answer', text: '', reason: 'known' }
  const two = report([session({ source: 'a', findings: [finding()] }), session({ source: 'b', findings: [finding()] })])
  const left = (entries: Baseline['entries']) => applyBaseline(two, { schemaVersion: 1, entries }, same).report.summary.findings.error
  expect([left([{ ...entry, source: 'a' }]), left([entry]), left([{ ...entry, rule: 'lost-answer' }])]).toEqual([1, 0, 2])
})

test('entries that accept nothing are stale', () => {
  const gone = { fingerprint: 'ffff', rule: 'dropped-answer', source: 'a', text: 'gone', reason: 'known' }
  expect(applyBaseline(stuck, { schemaVersion: 1, entries: [gone] }, same).stale).toEqual([gone])
})

test('an update keeps reasons, drops what is gone, and gives the new ones the reason at hand', () => {
  const old = updateBaseline(stuck, none, 'error', 'old', same)
  const [first] = old.entries
  if (first === undefined) throw new Error('no entry')
  const gone = { ...first, fingerprint: 'ffff', text: 'gone' }
  const updated = updateBaseline(stuck, { ...old, entries: [{ ...first, reason: 'mine' }, gone] }, 'warning', 'new', same)
  expect(updated.entries.map((e) => e.reason).toSorted()).toEqual(['mine', 'new', 'new', 'new'])
  const without = updateBaseline(stuck, none, 'error', '', same)
  expect(updateBaseline(stuck, without, 'error', 'given later', same).entries.map((e) => e.reason)).toEqual(without.entries.map(() => 'given later'))
})

test('an update writes only what would fail', () => {
  expect(updateBaseline(stuck, none, 'warning', '', same).entries).toHaveLength(4)
  expect(updateBaseline(stuck, none, 'info', '', same).entries).toHaveLength(5)
})

test('a log keeps its name when it is recorded again', () => {
  const first = sourceName('runs/session-3f2504e0-4f89-41d3-9a0c-0305e82c3301/session.jsonl')
  const second = sourceName('runs/session-9e107d9d-372b-4b6d-8f1e-2b1c6c1d2e3f/session.jsonl.zstd')
  expect(first).toBe(second)
  expect(sourceName('runs\\checkout\\session.jsonl')).toBe('runs/checkout/session.jsonl')
})

test('one entry accepts findings that differ in a number only', () => {
  const [one] = stuckSession().findings
  const twice = one ? [one, { ...one, id: `${one.id}-2`, text: `${one.text} (800 ms)` }] : []
  const run = report([session({ source: 'runs/a.jsonl', findings: twice })])
  const baseline = updateBaseline(run, none, 'error', 'known', same)
  expect(baseline.entries).toHaveLength(1)
  expect(applyBaseline(run, baseline, same).stale).toEqual([])
})
