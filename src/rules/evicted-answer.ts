import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const evictedAnswer = defineRule({
  id: 'evicted-answer',
  family: 'answers',
  severity: 'warning',
  docs: {
    what: 'The result with the answer was replaced by a compaction before any later model request was answered.',
    why: 'The model never saw it; only what the summary says about it is left.',
    fix: 'Answer again in the conversation, or have the program write decisions into a file that is read after compactions.',
    misses: 'Whether the summary holds the decision in other words.',
    disproof: 'An assistant message between the result and the compaction.',
  },
  needs: ['answers'],
  text: ({ question }: AnswerArgs) => `The answer to ${question} was delivered, and a compaction removed it before the model was asked again.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) if (a.state === 'evicted') report(answerFinding(a, answerArgs(a)))
  },
})
