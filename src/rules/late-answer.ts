import { repliesOf } from '../facts/answers.ts'
import { firstAfter } from '../model/ascending.ts'
import type { CallResult, UserMessage } from '../model/session.ts'
import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'
import { duration, onlyEnds } from './words.ts'

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
  check({ session, facts: { answers }, report, notEvaluated }) {
    if (session.cutTexts > 0 && answers.some((a) => a.state === 'dropped')) {
      notEvaluated(`${onlyEnds(session)}, so an answer that a later result showed may stand as dropped`)
    }
    const late = answers.filter((a) => a.state === 'late')
    if (late.length === 0) return
    const replies = repliesOf(session)
    const rows = new Map<number, UserMessage | CallResult>(session.messages.map((m) => [m.seq, m]))
    for (const { result } of session.calls) if (result) rows.set(result.seq, result)
    for (const a of late) {
      const { deliveredSeq } = a
      if (deliveredSeq === null) continue
      const delayMs = Math.max(0, (rows.get(deliveredSeq)?.time ?? 0) - (a.call.settledTime ?? a.call.askedTime))
      const own = a.call.call.result?.seq ?? a.call.askedSeq
      const missed = (firstAfter(replies, own) ?? Infinity) < deliveredSeq
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
