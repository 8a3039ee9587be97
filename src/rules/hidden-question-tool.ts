import { between, firstIndex } from '../model/ascending.ts'
import type { Round } from '../model/session.ts'
import { defineRule } from './define.ts'

export const hiddenQuestionTool = defineRule({
  id: 'hidden-question-tool',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'During goal rounds the requests did not offer the question tool, while other requests of the same log did: it was hidden instead of denied.',
    why: 'The model loses the tool without a reason. It does not learn that it may decide by itself or report a blocked goal, and every change of the tool list also costs the prompt cache.',
    fix: 'Leave the tool visible and deny its use with a guard whose reason names the way out.',
    misses: 'Code Mode lists its tools only in the system text; where that text was cut or declares them in an unknown notation the rule does not judge.',
    disproof: 'A declaration of the tool in the request of these rounds.',
  },
  needs: ['guards'],
  text: ({ rounds }: { rounds: number }) => `The question tool was hidden from ${rounds === 1 ? 'a goal round' : `${rounds} goal rounds`} instead of being denied: the model cannot know why it is gone or what to do instead.`,
  check({ session, facts: { guards: { questionOffers } }, report }) {
    if (!questionOffers.some((o) => o.offered === true)) return
    const changes = questionOffers.filter((o, i) => (o.offered === false) !== (questionOffers[i - 1]?.offered === false))
    for (const [i, offer] of changes.entries()) {
      if (offer.offered !== false) continue
      const until = changes[i + 1]?.seq ?? Infinity
      const rounds = roundsBetween(session.rounds, offer.seq, until).filter((r) => !r.inherited && between(r.steps, (s) => s.message?.seq ?? s.startSeq, offer.seq, until).some((s) => s.message !== null))
      const last = rounds.at(-1)
      if (!last) continue
      report({
        at: offer,
        toSeq: Math.min(last.toSeq, until - 1),
        args: { rounds: rounds.length },
        certainty: 'proven',
        related: rounds.map((r) => ({ seq: r.fromSeq, why: `goal round ${r.round} ran without the tool` })),
      })
    }
  },
})

/** Rounds of which a part lies between two rows. */
function roundsBetween(rounds: readonly Round[], after: number, before: number): readonly Round[] {
  return rounds.slice(firstIndex(rounds.length, (i) => (rounds[i]?.toSeq ?? 0) > after), firstIndex(rounds.length, (i) => (rounds[i]?.fromSeq ?? 0) >= before))
}
