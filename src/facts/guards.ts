import { QUESTION_TOOL } from '../model/questions.ts'
import { firstAfter, firstIndex } from '../model/ascending.ts'
import { groupBy } from '../group.ts'
import type { QuestionCall, Session } from '../model/session.ts'
import type { Activity } from './activity.ts'
import { gateOf, reasonOf, receiptsNameErrors, type GateVerdict } from './denials.ts'
import type { FactContext } from './context.ts'
import type { LeafCall } from './leaf-calls.ts'
import { repeatsOf, type Repeats } from './repetition.ts'
import { offersOf, type Offer } from './request-tools.ts'

export interface GuardFacts {
  /** Own questions in log order, judged. */
  readonly asks: readonly Ask[]
  /** When the question tool was offered. */
  readonly questionOffers: readonly Offer[]
  /** Goals whose guard did its work: no question of a goal round got through, and after a denial the goal was blocked or completed. */
  readonly worked: readonly { readonly denial: Ask; readonly goalId: string; readonly endSeq: number; readonly end: 'blocked' | 'complete' }[]
  readonly repeats: Repeats
}

export interface Ask extends GateVerdict {
  readonly question: QuestionCall
  /** The failure's text without `Error: `; null for anything but a failure. */
  readonly reason: string | null
  /**
   * `goal-round`: a guard's window is open, from the admitted goal message (round > 0) to the end of its round.
   * `accompanied`: in a goal round, but a human has spoken in its turn or has put a message into the inbox meanwhile.
   * `elsewhere`: no goal round.
   */
  readonly place: 'goal-round' | 'accompanied' | 'elsewhere'
  /** Number of process starts before it: a guard lives as long as its process. */
  readonly lifetime: number
}

export async function guardsFact({ session, get }: FactContext<{ leafCalls: readonly LeafCall[]; activity: Activity }>): Promise<GuardFacts> {
  const named = receiptsNameErrors(session)
  const place = placer(session)
  const asks = session.questions.filter((q) => !q.inherited).map((question): Ask => ({
    question,
    ...gateOf(question, session, named),
    reason: question.outcome.kind === 'failed' ? reasonOf(question.outcome.text) : null,
    place: place(question),
    lifetime: firstIndex(session.endSeeds.length, (i) => (session.endSeeds[i]?.seq ?? Infinity) >= question.askedSeq),
  }))
  return {
    asks,
    questionOffers: offersOf(session, QUESTION_TOOL),
    worked: workedOf(asks, session),
    repeats: repeatsOf(session, await get('leafCalls'), (await get('activity')).polls),
  }
}

function placer({ header, turns, inbox }: Session): (question: QuestionCall) => Ask['place'] {
  const spokenIn = new Map(turns.map((t) => [t.turn, t.messages.find((m) => m.source.kind === 'user')?.seq ?? Infinity]))
  const queued = inbox.filter((m) => m.source.kind === 'user').map((m) => m.seq)
  return ({ askedSeq, call, round }) => {
    if (!round) return 'elsewhere'
    // The first prompt of a subagent has the same source as a human's.
    if (header.origin === 'subagent') return 'goal-round'
    const spoken = Math.min(spokenIn.get(call.turn) ?? Infinity, firstAfter(queued, round.fromSeq) ?? Infinity)
    return spoken < askedSeq ? 'accompanied' : 'goal-round'
  }
}

function workedOf(asks: readonly Ask[], { goals }: Session): GuardFacts['worked'] {
  const inRounds = groupBy(asks.filter((a) => a.place === 'goal-round'), (a) => a.question.round?.goalId)
  return goals.flatMap((goal) => {
    const own = inRounds.get(goal.id) ?? []
    const denial = own.find((a) => a.gate === 'guard')
    const end = denial && goal.changes.findLast((c) => c.seq > denial.question.askedSeq && (c.operation === 'complete' || (c.operation === 'block' && c.goal?.blockedReason?.code === 'model-reported')))
    if (!denial || !end || own.some((a) => a.gate === 'service')) return []
    return [{ denial, goalId: goal.id, endSeq: end.seq, end: end.operation === 'block' ? 'blocked' as const : 'complete' as const }]
  })
}
