import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

export const cancelledQuestion = defineRule({
  id: 'cancelled-question',
  family: 'questions',
  severity: 'info',
  docs: {
    what: 'The human dismissed the question.',
    why: 'It is a decision not to answer, unlike an aborted wait. A program that catches it and goes on with a default acts against a refusal.',
    fix: 'Let the program tell the model that the human dismissed the question.',
    misses: 'Another user interface than the shipped one may end a question in its own words.',
    disproof: 'A turn that was cancelled at the same moment.',
  },
  needs: ['answers'],
  text: ({ question }: { question: string }) => `${question}: the human dismissed the question.`,
  check({ facts: { answers }, report }) {
    for (const call of new Set(answers.filter((a) => a.reason === 'cancelled').map((a) => a.call))) {
      report({ at: askedAt(call), args: { question: questionName(call) }, certainty: 'proven', ...(call.settledSeq === null ? {} : { related: [{ seq: call.settledSeq, why: 'dismissed here' }] }) })
    }
  },
})
