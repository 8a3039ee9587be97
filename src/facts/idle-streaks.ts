import { between } from '../model/ascending.ts'
import { spokenMessages, type UserMessage } from '../model/session.ts'
import type { AnswerFact } from './answers.ts'
import { closingTerms, lastOpen, Naming, openQuestions, speaksOf, type OpenQuestion } from './held-up.ts'
import type { FactContext } from './context.ts'
import { offerAt, offersOf } from './request-tools.ts'
import type { RoundFact } from './rounds.ts'
import { isInfrastructureFailure, isLookOutside, triesToBlock } from './tools.ts'
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

export async function idleStreaksFact({ session, get }: FactContext<{ rounds: readonly RoundFact[]; answers: readonly AnswerFact[]; activity: Activity }>): Promise<readonly IdleStreak[]> {
  const rounds = await get('rounds')
  const questions = openQuestions(session, await get('answers'))
  const activity = await get('activity')
  const offers = offersOf(session, 'update_goal')
  const naming = new Naming(session)
  const spoken = spokenMessages(session)
  const work = rounds.flatMap((r) => r.leaves.filter((l) => activity.changes.get(l)?.isNew).map((l) => l.seq))
  let worked = 0
  return streaksOf(spoken, rounds).map(({ goalId, at, streak, next }) => {
    const from = streak[0]?.round.fromSeq ?? 0
    while ((work[worked] ?? Infinity) < from) worked += 1
    const found = waitsFor({ spoken, at, streak, next, rounds, questions, naming, activity, offers, workedSeq: work[worked - 1] ?? -1 })
    const last = next ? [next] : []
    return {
      goalId, rounds: streak, waitsFor: found?.waitsFor ?? null, evidence: found && { seq: found.seq, why: found.why },
      blockAttempts: [...streak, ...last].reduce((n, r) => n + r.leaves.filter(triesToBlock).length, 0),
    }
  })
}

interface Found {
  readonly goalId: string
  /** Where it begins among all rounds. */
  readonly at: number
  readonly streak: RoundFact[]
  next: RoundFact | null
}

function streaksOf(spoken: readonly UserMessage[], rounds: readonly RoundFact[]): Found[] {
  const open = new Map<string, { found: Found; humans: number }>()
  const all: Found[] = []
  let humans = 0
  for (const [at, fact] of rounds.entries()) {
    const { goalId, inherited, fromSeq } = fact.round
    while ((spoken[humans]?.seq ?? Infinity) < fromSeq) humans += 1
    const row = open.get(goalId)
    if (row && (fact.state !== 'idle' || row.humans !== humans)) {
      row.found.next = fact
      open.delete(goalId)
    }
    if (inherited || fact.state !== 'idle') continue
    const current = open.get(goalId)
    if (current) current.found.streak.push(fact)
    else {
      const found: Found = { goalId, at, streak: [fact], next: null }
      all.push(found)
      open.set(goalId, { found, humans })
    }
  }
  return all
}

interface Case {
  /** Messages of the human. */
  readonly spoken: readonly UserMessage[]
  readonly at: number
  readonly streak: readonly RoundFact[]
  readonly next: RoundFact | null
  /** All of the log. */
  readonly rounds: readonly RoundFact[]
  readonly questions: readonly OpenQuestion[]
  readonly naming: Naming
  readonly activity: Activity
  readonly offers: ReturnType<typeof offersOf>
  /** The last call before the streak that brought the workspace to a new state. */
  readonly workedSeq: number
}

function waitsFor(c: Case): { waitsFor: WaitsFor; seq: number; why: string } | null {
  const { streak } = c
  const [first] = streak
  const last = streak.at(-1)
  if (!first || !last) return null
  const leaves = streak.flatMap((r) => r.leaves)
  const refused = leaves.filter((l) => l.name === 'update_goal' && l.outcome?.isError)
  if (refused[0] && refused.length * 2 > streak.length) return { waitsFor: 'refused-goal-update', seq: refused[0].seq, why: 'the goal could not be closed: `update_goal` was refused' }
  const isHeldUpBy = heldUp(c)
  const open = (holds: (q: OpenQuestion) => boolean): OpenQuestion | undefined => lastOpen(c.questions, first.round.fromSeq, last.round.toSeq, (q) => holds(q) && isHeldUpBy(q))
  const unheard = open((q) => q.wasAnswered)
  if (unheard) return { waitsFor: 'undelivered-answer', seq: unheard.call.settledSeq ?? unheard.fromSeq, why: 'the answer arrived here and did not reach the model' }
  const offer = offerAt(c.offers, last.round.toSeq)
  if (offer?.offered === false) return { waitsFor: 'missing-tool', seq: offer.seq, why: 'the model had no `update_goal` to close the goal with' }
  const polled = leaves.find((l) => isLookOutside(l))
  if (polled && streak.filter((r) => r.kind === 'poll-only').length * 2 > streak.length) return { waitsFor: 'external-job', seq: polled.seq, why: 'something outside was looked at and did not change' }
  const asked = open(() => true)
  if (asked) return { waitsFor: 'human-decision', seq: asked.call.askedSeq, why: 'this question was not answered' }
  const [failed] = leaves
  if (failed && streak.every((r) => r.kind === 'error-replay') && !leaves.some(isInfrastructureFailure)) return { waitsFor: 'human-decision', seq: failed.seq, why: 'the same error came back in every round' }
  return endedByHuman(c, last)
}

/** The work did not go on after the question; else the model itself must say that it is what these rounds wait for. */
function heldUp({ naming, streak, workedSeq }: Case): (question: OpenQuestion) => boolean {
  const rounds = streak.map((r) => r.round)
  let closings: readonly ReadonlySet<string>[] | undefined
  return (question) => workedSeq < question.fromSeq || naming.mostly(question, rounds, closings ??= [...closingTerms(rounds)])
}

/** Rounds on either side of a streak that show how the model usually ends one. */
const NEAR = 10

/** What ended it tells what it lacked: the human spoke of what was named and work went on, or the model reported the blocker. */
function endedByHuman({ spoken, at, streak, next, rounds }: Case, last: RoundFact): { waitsFor: WaitsFor; seq: number; why: string } | null {
  const until = next?.round.toSeq ?? Infinity
  const block = next?.round.goalChanges.find((g) => g.operation === 'block' && g.goal?.blockedReason?.code === 'model-reported')
  if (block) return { waitsFor: 'human-decision', seq: block.seq, why: 'the blocker was reported only here' }
  const message = next?.state === 'progress' ? between(spoken, (m) => m.seq, last.round.toSeq, until)[0] : undefined
  if (!message) return null
  const others = rounds.slice(Math.max(0, at - NEAR), at + streak.length + NEAR).filter((r) => r.state === 'progress')
  const named = speaksOf(message.text.value, streak.map((r) => r.round), others.map((r) => r.round))
  return named ? { waitsFor: 'human-decision', seq: message.seq, why: 'the human spoke here and the work went on' } : null
}
