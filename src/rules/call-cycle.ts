import { defineRule } from './define.ts'
import { callAt } from './words.ts'

export const callCycle = defineRule({
  id: 'call-cycle',
  family: 'loops',
  severity: 'warning',
  docs: {
    what: 'The same calls with the same outcomes came again and again, in a cycle of one to twelve calls: five times for a single call (four when all failed), four times for longer cycles.',
    why: 'Nothing changed between the repeats, so the next one cannot bring anything either. The repeat reminder of the harness sees only the simplest of these loops.',
    fix: 'Look at what the cycle waits for. If it is a person or an outside event, report the goal as blocked; if it is a habit (checking again), tell the model when to stop.',
    misses: 'Cycles longer than twelve calls, and cycles whose arguments or outcomes differ in more than times, durations, ids and temporary paths.',
    disproof: 'A call inside the row whose outcome differs from the one a period earlier.',
  },
  needs: ['loops'],
  text: ({ tools, period, repeats }: { tools: string[]; period: number; repeats: number }) => (
    `${period === 1 ? `\`${tools[0]}\` was called` : `The same ${period} calls (${[...new Set(tools)].map((t) => `\`${t}\``).join(', ')}) were made`} ${repeats} times in a row with the same outcome.`),
  check({ facts: { loops }, report }) {
    for (const { period, repeats, calls } of loops.cycles) {
      const [first] = calls
      const last = calls.at(-1)
      if (!first || !last) continue
      report({ at: callAt(first), toSeq: last.outcome?.seq ?? last.seq, args: { tools: calls.slice(0, period).map((c) => c.name), period, repeats }, certainty: 'proven' })
    }
  },
})
