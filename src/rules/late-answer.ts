import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'
import { duration } from './words.ts'

export const lateAnswer = defineRule({
  id: 'late-answer',
  family: 'answers',
  severity: 'warning',
  docs: {
    what: 'The result of the question did not carry the answer, but the model could read it later: in the result of a later call, or because the human said it again.',
    why: 'Everything the model did in between, it did without the answer.',
    fix: 'Return the answer from the program that asks.',
    misses: 'An answer that comes back in other words.',
    disproof: 'A later row that shows the value for a reason of its own.',
  },
  needs: ['answers'],
  text: ({ question, delayMs }: AnswerArgs & { delayMs: number }) => `The answer to ${question} reached the model ${duration(delayMs)} late, by another way than its own result.`,
  check({ session, facts: { answers }, report }) {
    for (const a of answers) {
      const { deliveredSeq } = a
      if (a.state !== 'late' || deliveredSeq === null) continue
      const row = session.messages.find((m) => m.seq === deliveredSeq) ?? session.calls.find((c) => c.result?.seq === deliveredSeq)?.result
      const delayMs = Math.max(0, (row?.time ?? 0) - (a.call.settledTime ?? a.call.askedTime))
      const own = a.call.call.result?.seq ?? a.call.askedSeq
      const missed = session.turns.some((t) => t.steps.some((s) => s.message !== null && s.message.seq > own && s.message.seq < deliveredSeq))
      const finding = answerFinding(a, { ...answerArgs(a), delayMs })
      report({
        ...finding,
        // A timed question is made to be answered by a message of its own.
        ...(missed && !a.call.reply ? {} : { severity: 'info' }),
        related: [...(finding.related ?? []), { seq: deliveredSeq, why: 'here the model could read it' }],
      })
    }
  },
})
