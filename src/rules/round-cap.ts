import { groupBy } from '../group.ts'
import { defineRule } from './define.ts'

export const roundCap = defineRule({
  id: 'round-cap',
  family: 'goals',
  severity: 'warning',
  docs: {
    what: 'The goal was blocked because all its rounds were used up.',
    why: 'Either the cap was too small for the work, or the rounds were spent on nothing; the goal is unfinished in both cases.',
    fix: 'If the rounds were productive, resume the goal with a higher `max_goal_rounds`; if many were idle, see the findings about them first.',
    misses: 'A goal that was completed in its last allowed round is not counted.',
    disproof: 'A later change that shows the goal complete.',
  },
  needs: ['rounds'],
  text: ({ cap, idle }: { goalId: string; cap: number; idle: number }) => `The goal used up its ${cap} rounds without coming to an end${idle === 0 ? '' : `; ${idle} of them were idle`}.`,
  check({ session, facts: { rounds }, report }) {
    const idle = groupBy(rounds.filter((r) => r.state === 'idle'), (r) => r.round.goalId)
    for (const goal of session.goals) {
      for (const change of goal.changes) {
        if (change.inherited || change.operation !== 'block' || change.goal?.blockedReason?.code !== 'round-limit') continue
        report({
          at: { seq: change.seq, line: change.line },
          args: { goalId: goal.id, cap: change.goal.maxGoalRounds, idle: idle.get(goal.id)?.length ?? 0 },
          certainty: 'proven',
        })
      }
    }
  },
})
