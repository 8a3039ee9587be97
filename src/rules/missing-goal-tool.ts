import { offerAt, offersOf, type Offer } from '../facts/request-tools.ts'
import type { RoundFact } from '../facts/rounds.ts'
import { defineRule } from './define.ts'

export const missingGoalTool = defineRule({
  id: 'missing-goal-tool',
  family: 'goals',
  severity: 'error',
  docs: {
    what: 'Goal rounds ran while `update_goal` was not among the tools the model was offered.',
    why: 'Without it the model can neither complete the goal nor report a blocker: the rounds only end at their cap.',
    fix: 'Mount the goal tools for the agent that works on the goal, and do not restrict `update_goal` away.',
    misses: 'A tool that is offered but always refused: see `refused-goal-update`.',
    disproof: 'A request header or a system text in these rounds that offers `update_goal`.',
  },
  needs: ['rounds'],
  text: ({ first, last }: { goalId: string; first: number; last: number }) => `Goal rounds ${first === last ? first : `${first} to ${last}`} ran without \`update_goal\`: the model could not end the goal.`,
  check({ session, facts: { rounds }, report, notEvaluated }) {
    const offers = offersOf(session, 'update_goal')
    const own = rounds.filter((r) => !r.round.inherited && r.round.steps.length > 0)
    if (own.length > 0 && offers.every((o) => o.offered === null)) notEvaluated('the log does not tell which tools the model was offered')
    const rows: { offer: Offer; rounds: RoundFact[] }[] = []
    let row: { offer: Offer; rounds: RoundFact[] } | null = null
    for (const fact of own) {
      const offer = offerAt(offers, fact.round.steps[0]?.message?.seq ?? fact.round.toSeq)
      if (offer?.offered !== false) row = null
      else if (row && row.rounds[0]?.round.goalId === fact.round.goalId) row.rounds.push(fact)
      else rows.push(row = { offer, rounds: [fact] })
    }
    for (const { offer, rounds: missing } of rows) {
      const [first] = missing
      const last = missing.at(-1)
      if (!first || !last) continue
      report({
        at: { seq: offer.seq, line: offer.line, turn: first.round.turn }, toSeq: last.round.toSeq,
        args: { goalId: first.round.goalId, first: first.round.round, last: last.round.round }, certainty: 'proven',
        related: [{ seq: first.round.fromSeq, why: 'the first round without it' }],
      })
    }
  },
})
