import { hadBadArguments } from '../facts/denials.ts'
import type { Question } from '../model/session.ts'
import { defineRule } from './define.ts'
import { askedAt, quoted } from './words.ts'

/** How the question dialog recognises a recommendation (dsh-ui-user-questions); it shows the label without it. */
const RECOMMENDED = /(?:\((?:recommended|推荐)\)|（(?:recommended|推荐)）)\s*$/i

export const ambiguousQuestion = defineRule({
  id: 'ambiguous-question',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'A question cannot be answered or read back without doubt: two questions of one call share an id, two options a label, a text is blank, or the recommended option is not the first or not the only one.',
    why: 'Answers name questions by id and options by label. Where these repeat, program and model cannot tell which was meant; the tool checks neither.',
    fix: 'Give every question of a call an id of its own and every option a label of its own, and put the one recommended option first.',
    misses: 'Texts that differ but mean the same.',
    disproof: 'None: the rule reads only the arguments of the call.',
  },
  needs: [],
  text: ({ question, problem }: { question: string; problem: string }) => `${question} is ambiguous: ${problem}.`,
  check({ session, report }) {
    for (const call of session.questions) {
      if (call.inherited || !call.questions || hadBadArguments(call)) continue
      const ids = new Set<string>()
      for (const q of call.questions) {
        const found = problemOf(q, ids)
        ids.add(q.id)
        if (found) report({ at: askedAt(call), args: { question: quoted(q.question), problem: found.problem }, certainty: 'proven', ...(found.severity && { severity: found.severity }) })
      }
    }
  },
})

/** The worst problem of a question; `ids` are those of the questions before it. */
function problemOf({ id, question, options }: Question, ids: ReadonlySet<string>): { problem: string; severity?: 'info' } | null {
  if (ids.has(id)) return { problem: `the id ${quoted(id)} names an earlier question of the call too` }
  if (question.trim() === '') return { problem: 'its text is blank' }
  if (id.trim() === '') return { problem: 'its id is blank' }
  if (options.some((o) => o.label.trim() === '')) return { problem: 'an option has a blank label' }
  const shown = options.map((o) => o.label.replace(RECOMMENDED, '').trim())
  const twice = shown.find((label, i) => shown.indexOf(label) !== i)
  if (twice !== undefined) return { problem: `two options read ${quoted(twice)}` }
  const recommended = options.flatMap((o, i) => (RECOMMENDED.test(o.label) ? [i] : []))
  if (recommended.length > 1) return { problem: `${recommended.length} options are recommended`, severity: 'info' }
  return (recommended[0] ?? 0) > 0 ? { problem: 'the recommended option is not the first', severity: 'info' } : null
}
