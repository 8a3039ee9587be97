import { defineRule } from './define.ts'
import { askedAt, duration, questionName } from './words.ts'

const WORDS: Readonly<Record<string, string>> = {
  'deadline': 'the time limit ended the wait',
  'user-typed': 'the human typed a message instead of answering; the turn was cancelled',
  'turn-cancelled': 'the turn was cancelled',
  'provider-gone': 'the user interface went away',
  'run-over': 'the program ended without waiting for the answer',
  'unknown': 'the wait was ended',
}

export const abortedQuestion = defineRule({
  id: 'aborted-question',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'The wait for the human was ended by a signal: the time limit of the run, a cancelled turn, a user interface that went away, or a program that ended without waiting. Nobody refused.',
    why: "The log's wording reads like a refusal. A model that takes it for one goes on without the answer, and a human who was about to answer finds the dialog gone.",
    fix: 'Deadline: ask in a program of its own or natively. Typed instead: ask again. User interface gone: reload it before the next question.',
    misses: 'A message that the human typed elsewhere, e.g. in another client.',
    disproof: 'A receipt with an answer, or `ASK_CANCELLED` (then the human did refuse).',
  },
  needs: ['answers'],
  text: ({ question, cause, waitMs }: { question: string; cause: string; waitMs: number }) => `${question}: ${WORDS[cause] ?? WORDS['unknown'] ?? ''} after ${duration(waitMs)}; nobody refused to answer.`,
  check({ facts: { answers }, report }) {
    const first = new Map(answers.filter((a) => a.reason === 'aborted' || a.reason === 'timeout' || a.reason === 'run-over').map((a) => [a.call, a]))
    for (const [call, a] of first) {
      const end = call.settledTime ?? call.call.result?.time ?? call.askedTime
      const related = [call.settledSeq, call.call.result?.seq].filter((seq) => typeof seq === 'number')
      report({
        at: askedAt(call), args: { question: questionName(call), cause: a.reason === 'run-over' ? 'run-over' : (a.cause ?? 'unknown'), waitMs: Math.max(0, end - call.askedTime) },
        certainty: a.certainty, related: [...new Set(related)].map((seq) => ({ seq, why: 'the wait ended here' })),
      })
    }
  },
})
