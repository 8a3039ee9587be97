import type { ItemAnswer, Question } from '../model/session.ts'
import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

export const invalidAnswer = defineRule({
  id: 'invalid-answer',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'An answer reached the program or the model that the shipped hosts would have refused: another number or order of questions, a repeated or unknown choice, a blank text, more than one choice where one was asked for.',
    why: 'It comes from a provider with rules of its own. A program that relies on the host’s rules reads it wrongly.',
    fix: 'Let the provider check answers as the web host does, and let programs look answers up by question id instead of by position.',
    misses: 'Answers of which only a part is in the log.',
    disproof: 'None: question and answer stand in the log side by side.',
  },
  needs: [],
  text: ({ question, problem }: { question: string; problem: string }) => `The answer to ${question} breaks the host's rules: ${problem}.`,
  check({ session, report }) {
    for (const call of session.questions) {
      const answers = call.outcome.kind === 'answered' && call.outcome.complete ? call.outcome.answers : call.reply?.answers
      const problem = call.inherited || !call.questions || !answers ? null : problemOf(call.questions, answers)
      if (problem === null) continue
      const seq = call.reply?.message.seq ?? call.settledSeq
      report({ at: askedAt(call), args: { question: questionName(call), problem }, certainty: 'proven', ...(seq !== null && { related: [{ seq, why: 'the answer' }] }) })
    }
  },
})

/** The first rule that is broken, in the order in which the web host (dsh-apiproxy) checks them. */
function problemOf(questions: readonly Question[], answers: readonly ItemAnswer[]): string | null {
  if (questions.length !== answers.length) return `${answers.length} answers to ${questions.length} questions`
  for (const [i, q] of questions.entries()) {
    const { id, selected, custom } = answers[i] ?? { id: '', selected: [], custom: null }
    if (id !== q.id) return `answer ${i + 1} is to “${id}” instead of “${q.id}”`
    if (new Set(selected).size < selected.length) return 'a choice stands in it twice'
    if (custom !== null && custom.trim() === '') return 'its own text is blank'
    if (!q.multiSelect && custom !== null && selected.length > 0) return 'a choice and an own text where only one of them may be'
    if (!q.multiSelect && selected.length > 1) return `${selected.length} choices where one was asked for`
    const unknown = selected.find((label) => !q.options.some((o) => o.label === label))
    if (unknown !== undefined) return `“${unknown}” is no option of the question`
  }
  return null
}
