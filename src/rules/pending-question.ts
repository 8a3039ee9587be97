import { defineRule } from './define.ts'
import { askedAt, duration, questionName } from './words.ts'

const PATIENCE_MS = 600_000

export const pendingQuestion = defineRule({
  id: 'pending-question',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'A question has no answer at the end of the log: the process ended while it was open, the window of a timed question closed, or a live run has waited for more than ten minutes.',
    why: 'The run goes on only when somebody answers, and nothing reminds anybody of it.',
    fix: 'Answer it, or end the turn; in goal rounds deny questions with a guard that points to `update_goal` (blocked).',
    misses: 'A live question that is open for less than ten minutes.',
    disproof: 'A result of the call in a newer copy of the log.',
  },
  needs: ['answers'],
  text: ({ question, openMs, round }: { question: string; openMs: number; round: number | null }) =>
    `${question}${round === null ? '' : ` (goal round ${round})`} was still open when the log ends${openMs > 0 ? `, after ${duration(openMs)}` : ''}.`,
  check({ session, facts: { answers }, report }) {
    const live = session.turns.at(-1)?.end === null
    for (const call of new Set(answers.filter((a) => a.state === 'unanswered' && (a.reason === 'pending' || a.reason === 'interrupted')).map((a) => a.call))) {
      const openMs = Math.max(0, (session.endTime ?? call.askedTime) - call.askedTime)
      const waiting = call.outcome.kind === 'open' && live && (session.turns.at(-1)?.startSeq ?? 0) <= call.askedSeq
      if (waiting && openMs <= PATIENCE_MS) continue
      report({
        at: askedAt(call), args: { question: questionName(call), openMs: waiting ? openMs : 0, round: call.round?.round ?? null },
        certainty: 'proven', ...(call.round ? { severity: 'error' } : {}),
      })
    }
  },
})
