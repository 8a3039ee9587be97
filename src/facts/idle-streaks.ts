import type { Round, Session } from '../model/session.ts'
import type { AnswerFact } from './answers.ts'
import type { FactContext } from './index.ts'
import type { LeafCall } from './leaf-calls.ts'
import { offerAt, offersOf } from './request-tools.ts'
import type { RoundFact } from './rounds.ts'
import { isInfrastructureFailure, isLookOutside } from './tools.ts'
import type { Activity } from './activity.ts'

export type WaitsFor = 'undelivered-answer' | 'human-decision' | 'refused-goal-update' | 'missing-tool' | 'external-job'

/** Idle rounds of one goal in a row; a human turn ends the row, and so does the open end of a log. */
export interface IdleStreak {
  readonly goalId: string
  /** At least one. */
  readonly rounds: readonly RoundFact[]
  /** What the log shows it waited for; null: nothing of the kind. */
  readonly waitsFor: WaitsFor | null
  /** The row that shows it, and why. */
  readonly evidence: { readonly seq: number; readonly why: string } | null
  /** Attempts to report the goal as blocked in these rounds or in the next one. */
  readonly blockAttempts: number
}

export async function idleStreaksFact({ session, get }: FactContext): Promise<readonly IdleStreak[]> {
  const rounds = await get('rounds')
  const answers = await get('answers')
  const { acts } = await get('activity')
  const offers = offersOf(session, 'update_goal')
  return streaksOf(session, rounds).map(({ goalId, streak, next }) => {
    const found = waitsFor({ session, goalId, streak, next, answers, acts, offers })
    const last = next ? [next] : []
    return {
      goalId, rounds: streak, waitsFor: found?.waitsFor ?? null, evidence: found && { seq: found.seq, why: found.why },
      blockAttempts: [...streak, ...last].reduce((n, r) => n + r.leaves.filter(triesToBlock).length, 0),
    }
  })
}

interface Found { readonly goalId: string; readonly streak: RoundFact[]; next: RoundFact | null }

function streaksOf(session: Session, rounds: readonly RoundFact[]): Found[] {
  const spoken = session.messages.filter((m) => m.source.kind === 'user' && m.appended).map((m) => m.seq)
  const open = new Map<string, { found: Found; humans: number }>()
  const all: Found[] = []
  let humans = 0
  for (const fact of rounds) {
    const { goalId, inherited, fromSeq } = fact.round
    while ((spoken[humans] ?? Infinity) < fromSeq) humans += 1
    const row = open.get(goalId)
    if (row && (fact.state !== 'idle' || row.humans !== humans)) {
      row.found.next = fact
      open.delete(goalId)
    }
    if (inherited || fact.state !== 'idle') continue
    const current = open.get(goalId)
    if (current) current.found.streak.push(fact)
    else {
      const found: Found = { goalId, streak: [fact], next: null }
      all.push(found)
      open.set(goalId, { found, humans })
    }
  }
  return all
}

function triesToBlock(leaf: LeafCall): boolean {
  return leaf.name === 'update_goal' && leaf.arguments.value.includes('"action":"blocked"')
}

const UNHEARD: ReadonlySet<string> = new Set(['dropped', 'consumed', 'lost', 'truncated', 'evicted', 'partial'])

interface Case {
  readonly session: Session
  readonly goalId: string
  readonly streak: readonly RoundFact[]
  readonly next: RoundFact | null
  readonly answers: readonly AnswerFact[]
  readonly acts: Activity['acts']
  readonly offers: ReturnType<typeof offersOf>
}

function waitsFor(c: Case): { waitsFor: WaitsFor; seq: number; why: string } | null {
  const { streak } = c
  const [first] = streak
  const last = streak.at(-1)
  if (!first || !last) return null
  const leaves = streak.flatMap((r) => r.leaves)
  const refused = leaves.filter((l) => l.name === 'update_goal' && l.outcome?.isError)
  if (refused[0] && refused.length * 2 > streak.length) return { waitsFor: 'refused-goal-update', seq: refused[0].seq, why: 'the goal could not be closed: `update_goal` was refused' }
  const unheard = unheardBefore(c, last.round)
  if (unheard) return { waitsFor: 'undelivered-answer', seq: unheard.call.settledSeq ?? unheard.call.askedSeq, why: 'the answer arrived here and did not reach the model' }
  const offer = offerAt(c.offers, last.round.toSeq)
  if (offer?.offered === false) return { waitsFor: 'missing-tool', seq: offer.seq, why: 'the model had no `update_goal` to close the goal with' }
  const polled = leaves.find((l) => isLookOutside(c.acts.get(l)))
  if (polled && streak.filter((r) => r.kind === 'poll-only').length * 2 > streak.length) return { waitsFor: 'external-job', seq: polled.seq, why: 'something outside was looked at and did not change' }
  const asked = c.session.questions.findLast((q) => !q.inherited && q.askedSeq < last.round.toSeq)
  if (asked && asked.outcome.kind !== 'answered') return { waitsFor: 'human-decision', seq: asked.askedSeq, why: 'this question was never answered' }
  const [failed] = leaves
  if (failed && streak.every((r) => r.kind === 'error-replay') && !leaves.some(isInfrastructureFailure)) return { waitsFor: 'human-decision', seq: failed.seq, why: 'the same error came back in every round' }
  return endedByHuman(c, last)
}

/** The newest answer from before the end of the streak that the model did not hear by its beginning. */
function unheardBefore({ streak, answers }: Case, end: Round): AnswerFact | null {
  const begin = streak[0]?.round.fromSeq ?? 0
  const before = answers.filter((a) => a.call.askedSeq < end.toSeq)
  const last = before.findLast((a) => UNHEARD.has(a.state) || (a.state === 'late' && (a.deliveredSeq ?? 0) > begin))
  const heard = last && before.findLast((a) => a.question.id === last.question.id && a.state === 'delivered')
  return last && !(heard && heard.call.askedSeq > last.call.askedSeq) ? last : null
}

/** What ended it tells what it lacked: the human spoke and work went on, or the model reported the blocker. */
function endedByHuman({ session, next }: Case, last: RoundFact): { waitsFor: WaitsFor; seq: number; why: string } | null {
  const until = next?.round.toSeq ?? Infinity
  const block = next?.round.goalChanges.find((g) => g.operation === 'block' && g.goal?.blockedReason?.code === 'model-reported')
  if (block) return { waitsFor: 'human-decision', seq: block.seq, why: 'the blocker was reported only here' }
  const spoke = next?.state === 'progress' ? session.messages.find((m) => m.source.kind === 'user' && m.appended && m.seq > last.round.toSeq && m.seq < until) : undefined
  return spoke ? { waitsFor: 'human-decision', seq: spoke.seq, why: 'the human spoke here and the work went on' } : null
}
