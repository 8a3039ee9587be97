import { gatesAfter, type UnansweredReason } from '../facts/service-codes.ts'
import { refusalOf } from '../facts/unanswered.ts'
import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

/** Other rules speak of these. */
const NOT_HERE: ReadonlySet<UnansweredReason> = new Set<UnansweredReason>(['denied', 'aborted', 'cancelled', 'timeout', 'run-over', 'unknown-tool'])

export const rejectedQuestion = defineRule({
  id: 'rejected-question',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'A question failed before a human could see it, for another reason than a denial: bad arguments, no user interface, a subagent that asked, a service or provider error.',
    why: 'The gates stand in a fixed order. A refusal proves that the earlier gates let the call pass and says nothing about the later ones, so fixing it may bring up the next.',
    fix: 'Do what the code asks for, then ask once more before relying on it.',
    misses: 'Denials by guards, hooks and approvals: the guard rules speak of those.',
    disproof: 'An answer to the same call.',
  },
  needs: [],
  text: ({ question, code, layer, means }: { question: string; code: string; layer: string; means: string; unproven: string }) => `${question} was refused by the ${layer} (${code}): ${means}.`,
  check({ session, report }) {
    for (const call of session.questions) {
      const refusal = call.inherited ? null : refusalOf(session, call)
      if (!refusal || NOT_HERE.has(refusal.gate.reason)) continue
      const { code, layer, means } = refusal.gate
      const unproven = gatesAfter(refusal.gate).filter((g) => g.layer === 'service' || g.code === 'ASK_MISSING_AGENT').map((g) => g.code)
      report({
        at: askedAt(call), args: { question: questionName(call), code, layer, means, unproven: unproven.join(', ') }, certainty: refusal.known ? 'proven' : 'likely',
        related: call.settledSeq === null ? [] : [{ seq: call.settledSeq, why: 'refused here' }],
        ...(unproven.length > 0 ? { fix: `Fix what ${code} says; it does not show whether the later gates (${unproven.join(', ')}) would let the question pass.` } : {}),
      })
    }
  },
})
