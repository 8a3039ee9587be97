import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const consumedAnswer = defineRule({
  id: 'consumed-answer',
  family: 'answers',
  severity: 'info',
  docs: {
    what: 'The result of the program does not depend on the answer, but later calls of the same program do.',
    why: 'The work may be right, yet the model does not know what was decided and cannot take it into account later.',
    fix: 'Let the program also return the answer.',
    misses: 'Whether those calls did what the human wanted.',
    disproof: 'A text of the result that would read differently for another answer, or later calls that would be the same.',
  },
  needs: ['answers'],
  text: ({ question }: AnswerArgs) => `The program used the answer to ${question} for its own calls and told the model nothing of it.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) if (a.state === 'consumed') report(answerFinding(a, answerArgs(a)))
  },
})
