import { isInfrastructureFailure } from '../facts/tools.ts'
import { defineRule } from './define.ts'
import { callAt, duration } from './words.ts'

const POLLS = 4

export const busyWait = defineRule({
  id: 'busy-wait',
  family: 'goals',
  severity: 'info',
  docs: {
    what: 'Something outside (a job, a subagent, a service) was looked at four or more times without any change, and changed later.',
    why: 'Each look costs a request of the model. Nothing is stuck, but a notice or one long wait would have cost far less.',
    fix: 'Wait inside one call (`job_output` with `wait` and a long `timeout_ms`), or end the turn and let the notice of the job start the next one.',
    misses: 'Looks that are all inside one program: they cost the model nothing. Waits whose end the log does not show, and services that were down.',
    disproof: 'A row between the looks that shows the outcome had changed.',
  },
  needs: ['activity'],
  text: ({ tool, polls, ms }: { tool: string; polls: number; ms: number }) => `\`${tool}\` was asked ${polls} times for something that changed only ${duration(ms)} later.`,
  check({ facts: { activity }, report }) {
    for (const { polls, changedSeq } of activity.waits) {
      const first = polls[0]
      const last = polls.at(-1)
      if (!first || !last || polls.length < POLLS || first.inherited || polls.some(isInfrastructureFailure) || polls.every((p) => p.call === first.call)) continue
      report({
        at: callAt(first), toSeq: changedSeq, args: { tool: first.name, polls: polls.length, ms: last.time - first.time },
        certainty: 'likely', related: [{ seq: changedSeq, why: 'the outcome changed here' }],
      })
    }
  },
})
