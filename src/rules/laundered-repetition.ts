import { defineRule } from './define.ts'
import { callAt } from './words.ts'

export const launderedRepetition = defineRule({
  id: 'laundered-repetition',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'Programs of their own made the same nested call five or more times in a row with the same outcome.',
    why: 'The repeat reminder counts nested and outer calls in one chain. Here `run_code` stands between the repetitions and starts the count anew each time, so no reminder can ever come.',
    fix: 'Do not rely on the reminder in Code Mode: limit the rounds of the goal, or tell the model in the objective when to stop looking and to report a blocked goal.',
    misses: 'Rows in which other calls stand between the repetitions: see call-cycle. Polls whose outcome changes later by itself, and servers that are down, are no repetition.',
    disproof: 'An outcome among these calls that told the model something new.',
  },
  needs: ['guards'],
  text: ({ tool, times }: { tool: string; times: number }) => `${times} programs in a row made the same \`${tool}\` call with the same outcome; wrapped in \`run_code\` it never triggers a repeat reminder.`,
  check({ facts: { guards: { repeats } }, report }) {
    for (const calls of repeats.laundered) {
      const [first] = calls
      const last = calls.at(-1)
      if (!first || !last) continue
      report({
        at: callAt(first),
        toSeq: last.outcome?.seq ?? last.seq,
        args: { tool: first.name, times: calls.length },
        certainty: 'proven',
        related: [{ seq: last.seq, why: 'the last of them' }],
      })
    }
  },
})
