import type { Call } from '../model/session.ts'
import { defineRule } from './define.ts'
import { denialReader } from '../facts/denial-shown.ts'
import { askedAt, questionName } from './words.ts'

export const swallowedDenial = defineRule({
  id: 'swallowed-denial',
  family: 'guards',
  severity: 'info',
  docs: {
    what: 'A guard denied a question inside a program, the program went on and succeeded, and its result does not say that the question was denied.',
    why: 'The model takes whatever the program put in the place of the answer for a decision of the human.',
    fix: 'Return the denial: `catch (error) { return { denied: String(error) } }`, or do not catch it at all. Then the model can decide by itself or report the goal as blocked.',
    misses: 'A result that speaks of an error or refusal in words of its own counts as showing the denial, and so does a program that reports the goal as blocked.',
    disproof: 'The reason of the denial, or any word of it, in the result of the `run_code` call.',
  },
  needs: ['guards'],
  text: ({ question }: { question: string }) => `The program hid from the model that ${question} was denied: it may take a default for the human's answer.`,
  check({ facts: { guards }, report }) {
    const readers = new Map<Call, ReturnType<typeof denialReader>>()
    for (const { question, gate, reason } of guards.asks) {
      const { call, dispatch } = question
      if (gate !== 'guard' || !dispatch || reason === null || !call.result || call.result.isError) continue
      const showsDenial = readers.get(call) ?? denialReader(call)
      readers.set(call, showsDenial)
      if (showsDenial(dispatch, reason)) continue
      report({
        at: askedAt(question),
        args: { question: questionName(question) },
        certainty: 'likely',
        related: [...(question.settledSeq === null ? [] : [{ seq: question.settledSeq, why: 'the denial' }]), { seq: call.result.seq, why: 'all that the model saw' }],
      })
    }
  },
})
