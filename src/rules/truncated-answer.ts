import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const truncatedAnswer = defineRule({
  id: 'truncated-answer',
  family: 'answers',
  severity: 'warning',
  docs: {
    what: 'The complete result carries the answer, but spilling (long results go to a file) or pruning removed it from the text the model could read in its next request.',
    why: 'For the model it is as if the program had kept the answer to itself.',
    fix: 'Return the answer alone or first, and long data separately.',
    misses: 'A spilled result is not in the log in full; when replay cannot restore it, the place of the answer is inferred from the program.',
    disproof: 'The value in the head or tail that was left of the result, or a later `read` of the spill file (then it is late).',
  },
  needs: ['answers'],
  text: ({ question }: AnswerArgs) => `The answer to ${question} was in the result, and was cut out before the model could read it.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) if (a.state === 'truncated') report(answerFinding(a, answerArgs(a)))
  },
})
