import { groupBy } from '../group.ts'
import type { LeafCall } from '../facts/leaf-calls.ts'
import { defineRule } from './define.ts'
import { callAt, quoted } from './words.ts'

const REFUSALS = 3

export const refusedGoalUpdate = defineRule({
  id: 'refused-goal-update',
  family: 'goals',
  severity: 'error',
  docs: {
    what: '`update_goal` was refused three or more times for one goal.',
    why: 'A goal that cannot be closed goes on: the driver starts round after round although the work is finished or blocked.',
    fix: 'Read the refusal. A stale revision or a wrong id is cured by `get_goal`; a threshold for `blocked` by waiting for the round it names; a refusal by a plugin by giving it what it asks for.',
    misses: 'A refusal that the program caught is counted, but what the model then knew of it is not judged here.',
    disproof: 'The goal was updated successfully between the refusals.',
  },
  needs: ['leafCalls'],
  text: ({ count, reason }: { goalId: string; count: number; reason: string }) => `The goal could not be updated: \`update_goal\` was refused ${count} times, at last with ${quoted(reason)}.`,
  check({ facts: { leafCalls }, report }) {
    const refused = groupBy(leafCalls.filter((l) => l.name === 'update_goal' && !l.inherited && l.outcome?.isError && l.outcomeKey !== null && !wasAborted(l)), (l) => l.round?.goalId ?? '')
    for (const [goalId, calls] of refused) {
      const [first] = calls
      const last = calls.at(-1)
      if (!first || !last || calls.length < REFUSALS) continue
      report({
        at: callAt(first), toSeq: last.outcome?.seq ?? last.seq, certainty: 'proven',
        args: { goalId, count: calls.length, reason: (last.outcome?.text.value ?? '').replace(/^Error: /, '') },
        related: calls.slice(1).map((c) => ({ seq: c.seq, why: 'refused again' })),
      })
    }
  },
})

function wasAborted({ outcome }: LeafCall): boolean {
  return outcome?.error?.code.startsWith('ABORTED') ?? false
}
