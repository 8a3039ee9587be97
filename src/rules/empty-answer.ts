import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

export const emptyAnswer = defineRule({
  id: 'empty-answer',
  family: 'answers',
  severity: 'info',
  docs: {
    what: 'The human submitted a form without choosing or typing anything in any of its questions.',
    why: 'The model gets a formal answer without content; a program that takes the first choice for granted fails or uses a default.',
    fix: 'Treat an empty answer as its own case in the program, and tell the model that the human left it open.',
    misses: 'Single skipped questions in a form that was answered otherwise.',
    disproof: 'A choice or a text in the receipt.',
  },
  needs: ['answers'],
  text: ({ question }: { question: string }) => `${question}: the human submitted the form empty.`,
  check({ facts: { answers }, report }) {
    const filled = new Set(answers.filter((a) => a.state !== 'skipped').map((a) => a.call))
    for (const call of new Set(answers.map((a) => a.call))) {
      if (call.outcome.kind !== 'answered' || filled.has(call)) continue
      report({ at: askedAt(call), args: { question: questionName(call) }, certainty: 'proven', ...(call.settledSeq === null ? {} : { related: [{ seq: call.settledSeq, why: 'the empty answer' }] }) })
    }
  },
})
