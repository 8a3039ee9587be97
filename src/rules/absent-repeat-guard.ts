import { defineRule } from './define.ts'
import { callAt } from './words.ts'

export const absentRepeatGuard = defineRule({
  id: 'absent-repeat-guard',
  family: 'guards',
  severity: 'info',
  docs: {
    what: 'The same call was made five or more times in a row with the same outcome, and no repeat reminder came although the harness would have counted these calls.',
    why: 'Without the reminder nothing tells the model that it goes in circles.',
    fix: 'Mount the repeat reminder (`repeat-tool-reminder`); it speaks at the third, fifth and eighth equal call.',
    misses: 'Calls that the reminder could not have counted, because other calls or `run_code` stand between them: see laundered-repetition. Polls whose outcome changes later by itself, and servers that are down, are no repetition.',
    disproof: 'A reminder in the log for these calls.',
  },
  needs: ['guards'],
  text: ({ tool, times }: { tool: string; times: number }) => `\`${tool}\` was called ${times} times in a row with the same arguments and the same outcome, and no repeat reminder came.`,
  check({ facts: { guards: { repeats } }, report }) {
    for (const calls of repeats.unreminded) {
      const [first] = calls
      const last = calls.at(-1)
      if (first && last) report({ at: callAt(first), toSeq: last.outcome?.seq ?? last.seq, args: { tool: first.name, times: calls.length }, certainty: 'proven' })
    }
  },
})
