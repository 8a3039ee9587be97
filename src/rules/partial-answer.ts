import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const partialAnswer = defineRule({
  id: 'partial-answer',
  family: 'answers',
  severity: 'error',
  docs: {
    what: 'Some of the values the human gave (labels, free text) stand in the result because of the answer, others do not.',
    why: 'The model takes the part for the whole: a second choice or a remark that changes the meaning is missing.',
    fix: 'Return the whole item: all of `selected` together with `custom`.',
    misses: 'A value that is told in other words counts as missing.',
    disproof: 'Every value in the text of the result.',
  },
  needs: ['answers'],
  text: ({ question }: AnswerArgs) => `Only a part of the answer to ${question} reached the model.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) if (a.state === 'partial') report({ ...answerFinding(a, answerArgs(a)), ...(a.certainty === 'possible' ? { severity: 'warning' } : {}) })
  },
})
