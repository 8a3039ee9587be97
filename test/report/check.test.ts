import { expect, test } from 'vitest'
import { parseAssertion } from '../../src/report/assertions.ts'
import { breaches, judge, type Policy } from '../../src/report/check.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

const lenient: Policy = { failOn: 'error', max: {}, pruneCheck: false, assertions: [] }
const warned = report([session({ findings: [finding({ severity: 'warning' })] })])

test('findings fail from the threshold on', () => {
  const passed = (failOn: Policy['failOn']) => judge(warned, { ...lenient, failOn }, []).check?.passed
  expect([passed('error'), passed('warning'), passed('info')]).toEqual([true, false, false])
})

test('a limit counts the findings of a rule in the whole run, whatever their severity', () => {
  const two = report([...warned.sessions, ...warned.sessions])
  expect(judge(two, { ...lenient, max: { 'dropped-answer': 2 } }, []).check?.passed).toBe(true)
  const over = judge(two, { ...lenient, max: { 'dropped-answer': 1 } }, [])
  expect(over.check?.passed).toBe(false)
  expect(breaches(over)).toEqual([{ kind: 'limit', source: null, text: '2 findings of dropped-answer, at most 1 allowed' }])
})

test('an assertion fails per session, and when nothing can be measured', () => {
  const assertions = [parseAssertion('rounds <= 20'), parseAssertion('goal.phase == complete')]
  expect(breaches(judge(report([session(), stuckSession()]), { ...lenient, assertions }, []))).toEqual([
    { kind: 'assertion', source: 'runs/stuck/session.jsonl', text: 'rounds <= 20 does not hold: 62' },
    { kind: 'assertion', source: 'runs/stuck/session.jsonl', text: 'goal.phase == complete does not hold: active' },
  ])
  expect(breaches(judge(report([session({ goals: [] })]), { ...lenient, assertions }, [])).map((b) => b.text)).toEqual(['goal.phase == complete: no session has anything to measure'])
})

test('a stale baseline fails only when asked for', () => {
  const stale = [{ fingerprint: 'f', rule: 'dropped-answer', text: 'gone', reason: 'known' }]
  expect(judge(report([session()]), lenient, stale).check?.passed).toBe(true)
  expect(judge(report([session()]), { ...lenient, pruneCheck: true }, stale).check?.passed).toBe(false)
})
