import { defineRule } from './define.ts'

export const ignoredReminder = defineRule({
  id: 'ignored-reminder',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'The harness reminded the model that it repeats a call, and the model made the same call with the same outcome two or more times again.',
    why: 'The reminder is all the harness does against loops. After the eighth repetition it stays silent.',
    fix: 'Stop the run or the goal here. A smaller cap on goal rounds, or an objective that says what to do when nothing changes, ends such loops earlier.',
    misses: 'Calls with other arguments to the same end. Polls whose outcome changes later by itself are no repetition.',
    disproof: 'An outcome after the reminder that differs from the one before.',
  },
  needs: ['guards'],
  text: ({ tool, times }: { tool: string; times: number }) => `After a reminder that it repeats itself the model made the same \`${tool}\` call ${times} more times, with the same outcome.`,
  check({ facts: { guards: { repeats } }, report }) {
    for (const { reminder, calls } of repeats.ignored) {
      const [first] = calls
      const last = calls.at(-1)
      if (!first || !last) continue
      report({
        at: { seq: reminder.seq, line: reminder.line, turn: reminder.turn, step: reminder.step },
        toSeq: last.outcome?.seq ?? last.seq,
        args: { tool: first.name, times: calls.length },
        certainty: 'proven',
        related: [{ seq: first.seq, why: 'the same call again' }, { seq: last.seq, why: 'the last of them' }],
      })
    }
  },
})
