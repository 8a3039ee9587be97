import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const lostAnswer = defineRule({
  id: 'lost-answer',
  family: 'answers',
  severity: 'error',
  docs: {
    what: 'The run failed, timed out or was aborted after the answer had arrived, and its text does not carry it.',
    why: 'The human has answered and will not expect to be asked again; the model only sees the failure.',
    fix: 'Ask in a program of its own that returns the answer at once, and do the risky work in the next one.',
    misses: 'An answer the failed program had stored; when a later result shows it, the item is late instead.',
    disproof: 'The value in the failure text or in its captured output.',
  },
  needs: ['answers'],
  text: ({ question, failure }: AnswerArgs & { failure: string | null }) =>
    `The human answered ${question}, then the run ${failure === 'pending' ? 'did not end within this log' : `failed (${failure ?? 'unknown'})`} and the answer went with it.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) {
      if (a.state !== 'lost') continue
      report({
        ...answerFinding(a, { ...answerArgs(a), failure: a.reason }),
        // The run may still be going on.
        ...(a.reason === 'pending' ? { severity: 'info' } : {}),
      })
    }
  },
})
