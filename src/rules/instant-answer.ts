import type { AnswerFact } from '../facts/answers.ts'
import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

const INSTANT_MS = 300

export const instantAnswer = defineRule({
  id: 'instant-answer',
  family: 'answers',
  severity: 'info',
  docs: {
    what: 'A free text, or a choice among at least two options, came in less than 300 ms.',
    why: "No human reads that fast: a script or a plugin answered in their place, and its choice counts as the human's.",
    fix: 'Check which answerer is registered in this session.',
    misses: 'A scripted answer that takes its time.',
    disproof: 'Row times that were rewritten after the recording.',
  },
  needs: ['answers'],
  text: ({ question, waitMs }: { question: string; waitMs: number }) => `${question}: answered after ${waitMs} ms, faster than a human reads.`,
  check({ session, facts: { answers }, report, notEvaluated }) {
    const answered = [...new Set(answers.filter((a) => a.values.length > 0).map((a) => a.call))].filter((c) => c.outcome.kind === 'answered')
    if (answered.length > 0 && session.startTime === session.endTime) return notEvaluated('the log has no times')
    const chosen = new Set(answers.filter(isChoice).map((a) => a.call))
    for (const call of answered) {
      const waitMs = (call.settledTime ?? Infinity) - call.askedTime
      if (!chosen.has(call) || waitMs >= INSTANT_MS) continue
      report({ at: askedAt(call), args: { question: questionName(call), waitMs: Math.max(0, waitMs) }, certainty: 'likely', ...(call.settledSeq === null ? {} : { related: [{ seq: call.settledSeq, why: 'the answer' }] }) })
    }
  },
})

/** Somebody chose between options or wrote an own text. */
function isChoice({ question: { options }, values }: AnswerFact): boolean {
  return options.length >= 2 || values.some((v) => options.every((o) => o.label !== v))
}
