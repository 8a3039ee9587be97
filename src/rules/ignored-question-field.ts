import { hadBadArguments } from '../facts/denials.ts'
import { defineRule } from './define.ts'
import { askedAt, quoted } from './words.ts'

/** Ways to write the one field that decides how many choices the human may take. */
const MULTI_SELECT = /^(?:multi[-_]?select|multiple|multi|allow[-_]?multiple)$/i

export const ignoredQuestionField = defineRule({
  id: 'ignored-question-field',
  family: 'questions',
  severity: 'info',
  docs: {
    what: 'A question carried fields that the tool does not read, such as `multiSelect`, `detail` or `intent`, or an option something besides its label and description.',
    why: 'The tool takes them without an error and drops them: a `multiSelect` leaves the question single-choice, an `intent` leaves it a generic form, and what stands in `detail` is never shown.',
    fix: 'Use only `id`, `question`, `header`, `options` (each `label`, `description`) and `multi_select`; put further text into the question itself.',
    misses: 'Fields beside `questions`, and fields a plugin of the host may read.',
    disproof: 'A build whose `ask_user_question` declares the field.',
  },
  needs: [],
  text: ({ question, fields, single }: { question: string; fields: string[]; single: boolean }) => (
    `${question} was asked with ${fields.map((f) => `\`${f}\``).join(', ')}, which the tool does not read${single ? ': the human could choose only one' : ''}.`),
  check({ session, report }) {
    for (const call of session.questions) {
      if (call.inherited || hadBadArguments(call)) continue
      for (const q of call.questions ?? []) {
        const fields = [...q.ignoredKeys, ...q.ignoredOptionKeys.map((k) => `options[].${k}`)]
        if (fields.length === 0) continue
        const single = !q.multiSelect && q.options.length > 1 && q.ignoredKeys.some((k) => MULTI_SELECT.test(k))
        report({
          at: askedAt(call),
          args: { question: quoted(q.question), fields, single },
          certainty: 'proven',
          ...(single && { severity: 'warning', fix: 'Write `multi_select: true`.' }),
        })
      }
    }
  },
})
