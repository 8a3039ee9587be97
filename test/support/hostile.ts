/** A finding, a failure and demands whose every text attacks the syntax of some output. */
import type { Report } from '../../src/report/schema.ts'
import { finding, report, session } from './report.ts'

export const ATTACK = [
  ']]>', '%0A::error::no', '\r\n::warning file=x::no', '##[error]no', '| a | b', '`code`', '<img src=x onerror=alert(1)>', '&amp;', '"\'',
  '\u202egnp', '\ud800', '\u0000\u001b[31m', '\uffff', '[link](https://evil.example)', '{0}', '@everyone', '*bold*', '```', 'a,b:c', '名前🧑‍🚀',
].join(' ')

export function hostileReport(): Report {
  const hostile = session({
    source: `runs/${ATTACK}/session.jsonl`, id: ATTACK, verdict: 'sick', checked: ['dropped-answer', 'slow-answer', 'absent-repeat-guard'],
    incidents: [{ headline: ATTACK, causes: ['f1'], effects: [], chain: [], inflection: { turn: 1, seq: 5 }, cost: { rounds: 1, ms: 1, inputTokens: 1, outputTokens: 1 }, actions: [ATTACK] }],
    findings: [
      finding({ text: ATTACK, fix: ATTACK, related: [{ seq: 4, why: ATTACK }] }),
      finding({ id: 'f2', rule: 'slow-answer', severity: 'info', text: ATTACK, fix: null, fingerprint: 'fedcba9876543210' }),
    ],
    notEvaluated: [{ rule: 'absent-repeat-guard', because: ATTACK }],
    accepted: [{ ...finding({ id: 'f3', text: ATTACK }), reason: ATTACK }],
  })
  return {
    ...report([hostile], [{ source: ATTACK, code: 'not-a-log', text: ATTACK, rule: null }]),
    check: {
      failOn: 'error', pruneCheck: true, limits: [{ rule: 'dropped-answer', max: 0, found: 1 }],
      assertions: [{ expression: 'rounds <= 2', measured: 1, broken: [{ source: hostile.source, actual: ATTACK }] }],
      stale: [{ fingerprint: 'aaaa', rule: 'dropped-answer', text: ATTACK, reason: 'known' }], passed: false,
    },
  }
}
