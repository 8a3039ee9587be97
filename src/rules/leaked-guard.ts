import { defineRule } from './define.ts'
import { askedAt, questionName, quoted } from './words.ts'

export const leakedGuard = defineRule({
  id: 'leaked-guard',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'A guard denied a question in a turn that is no goal round, after a goal round had been queued earlier in the log.',
    why: 'The human is there and is not asked: a guard meant for goal rounds stayed closed after its round.',
    fix: 'End the window of the guard with whatever ends its round: the end of the turn of that agent, a round that is discarded or refused before its first step, a competing message in the inbox, a new session, disposal. Ending it only at `turn/end` leaves it closed after a dropped round.',
    misses: 'A guard that denies questions in sessions without any goal is taken for a policy of that session. Denials by hooks, approvals and by the harness itself are not counted.',
    disproof: 'A hook, an approval or a failing question provider that produced the same text.',
  },
  needs: ['guards'],
  text: ({ question, reason }: { question: string; reason: string }) => `A guard denied ${question} although no goal round was running (${quoted(reason)}): the human was never asked.`,
  check({ session, facts: { guards }, report }) {
    const [firstRound = Infinity] = [session.inbox, session.messages].flatMap((rows) => rows.find((m) => m.source.kind === 'goal' && (m.source.round ?? 0) > 0)?.seq ?? []).toSorted((a, b) => a - b)
    const inRounds = new Set(guards.asks.filter((a) => a.place === 'goal-round' && a.gate === 'guard').map((a) => a.reason))
    for (const { question, gate, place, reason } of guards.asks) {
      if (gate !== 'guard' || place !== 'elsewhere' || question.askedSeq < firstRound) continue
      report({
        at: askedAt(question),
        args: { question: questionName(question), reason: reason ?? '' },
        certainty: inRounds.has(reason) ? 'proven' : 'likely',
        ...(question.settledSeq !== null && { related: [{ seq: question.settledSeq, why: 'the denial' }] }),
      })
    }
  },
})
