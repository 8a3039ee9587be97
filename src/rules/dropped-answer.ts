import { answerArgs, answerFinding, type AnswerArgs } from './answer-finding.ts'
import { defineRule } from './define.ts'

export const droppedAnswer = defineRule({
  id: 'dropped-answer',
  family: 'answers',
  severity: 'error',
  docs: {
    what: 'A question inside a `run_code` program was answered, the program received the answer, and neither its output nor any later call depends on it.',
    why: 'The call succeeds and nothing errors, so the model goes on as if the human had not answered: it asks again, waits, or spins through goal rounds.',
    fix: 'Return what the human answered, e.g. `return await tools.ask_user_question(…)`, or print it.',
    misses: 'An answer that leaves the program in a way the log does not show, such as a network request of the program itself. When the program cannot be analysed, the finding is only `possible` and a warning.',
    disproof: 'A text of the model-visible result that would read differently for another answer.',
  },
  needs: ['answers'],
  text: ({ question }: AnswerArgs) => `The human answered ${question}, and the model never heard it: the program took the answer and put nothing of it into its result.`,
  check({ facts: { answers }, report }) {
    for (const a of answers) if (a.state === 'dropped') report({ ...answerFinding(a, answerArgs(a)), ...(a.certainty === 'possible' ? { severity: 'warning' } : {}) })
  },
})
