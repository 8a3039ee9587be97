import { groupBy } from '../group.ts'
import type { IdleStreak } from '../facts/idle-streaks.ts'
import type { RoundFact } from '../facts/rounds.ts'
import type { Severity } from '../facts/vocabulary.ts'
import { defineRule, type Place } from './define.ts'
import { duration, onlyEnds, quoted } from './words.ts'

/** Two in a row may be a pause. */
const STREAK = 3
const NOTEWORTHY = 2
const LARGE_SHARE = 0.2

const WAITS = {
  'undelivered-answer': 'an answer that was given but never reached the model',
  'human-decision': 'a decision of a human',
  'refused-goal-update': 'a goal that could not be closed',
  'missing-tool': 'a goal tool it did not have',
  'external-job': 'something outside that never changed',
} as const

const FIXES = {
  'undelivered-answer': 'To get this run going again, tell the model the answer in a message of your own.',
  'human-decision': 'Give the decision in a message of your own, and tell the model to report an open decision with `update_goal`, action `blocked`, instead of waiting in rounds.',
  'refused-goal-update': 'Have the model read the goal again (`get_goal`) before it updates it, or lift the refusal; see the refused call.',
  'missing-tool': 'Offer `update_goal` to the agent that works on a goal.',
  'external-job': 'Pause the goal until the outside event has happened, or let a notice of the job wake it.',
} as const

type Args = {
  goalId: string; first: number; last: number; count: number; inputTokens: number; outputTokens: number; ms: number
  kinds: { [kind: string]: number }; waitsFor: IdleStreak['waitsFor']; closing: string | null
}

export const idleRounds = defineRule({
  id: 'idle-rounds',
  family: 'goals',
  severity: 'warning',
  docs: {
    what: 'Several rounds of one goal in a row got nowhere: no new state of the workspace, nothing the model had not been told before, no word from a human, and nothing outside that was worth waiting for.',
    why: 'The round driver starts the next round as long as the goal is active. A run that waits for something inside rounds burns time and tokens until its cap, and looks busy while it does.',
    fix: 'Remove what it waits for (see `waitsFor` and the related rows), and have the model report a blocker with `update_goal`, action `blocked`, instead of going round.',
    misses: 'Changes that leave no trace in arguments or results, and rounds that invent new but pointless calls: each of those tells something new.',
    disproof: 'A row inside these rounds that shows a state, a result or a message the log did not have before.',
  },
  needs: ['idleStreaks', 'rounds'],
  text: ({ first, last, count, waitsFor, closing, ms }: Args) => (
    `Goal rounds ${first} to ${last} got nowhere (${count} in a row, ${duration(ms)})${waitsFor ? `; they waited for ${WAITS[waitsFor]}` : ''}${closing === null ? '' : `; the last one ends with ${quoted(closing)}`}.`),
  check({ session, facts: { idleStreaks, rounds }, report, notEvaluated }) {
    if (rounds.length > 0 && session.cutTexts > 0) {
      notEvaluated(`${onlyEnds(session)}, so a round whose results differ by no more than a time or a count may pass for progress`)
    }
    const queued = new Map(session.inbox.map((m) => [m.seq, m.line]))
    const byGoal = groupBy(rounds.filter((r) => !r.round.inherited), (r) => r.round.goalId)
    const isLarge = new Map(Array.from(byGoal, ([goalId, own]) => [goalId, wasteIsLarge(own)]))
    for (const streak of idleStreaks) {
      const { goalId, rounds: idle, waitsFor, evidence } = streak
      const first = idle[0]
      const last = idle.at(-1)
      if (!first || !last || idle.length < NOTEWORTHY) continue
      const args: Args = {
        goalId, first: first.round.round, last: last.round.round, count: idle.length,
        inputTokens: sum(idle, (r) => r.tokens.input), outputTokens: sum(idle, (r) => r.tokens.output), ms: sum(idle, (r) => r.ms),
        kinds: kindsOf(idle), waitsFor, closing: closingOf(last),
      }
      report({
        at: queueing(queued, first), toSeq: last.round.toSeq, args, severity: severityOf(streak, isLarge.get(goalId) === true),
        certainty: idle.every((r) => r.certainty === 'proven') ? 'proven' : 'likely',
        ...(evidence ? { related: [evidence] } : {}), ...(waitsFor ? { fix: FIXES[waitsFor] } : {}),
      })
    }
  },
})

function severityOf({ rounds: idle, blockAttempts }: IdleStreak, isLarge: boolean): Severity {
  if (idle.length < STREAK) return 'info'
  return blockAttempts === 0 || isLarge ? 'error' : 'warning'
}

/** Of the rounds of one goal. */
function wasteIsLarge(own: readonly RoundFact[]): boolean {
  const wasted = own.filter((r) => r.state === 'idle')
  return wasted.length >= LARGE_SHARE * own.length || sum(wasted, tokensOf) >= LARGE_SHARE * Math.max(1, sum(own, tokensOf))
}

/** The row that queued the round, where there is one. */
function queueing(queued: ReadonlyMap<number, number>, { round }: RoundFact): Place {
  const line = queued.get(round.queuedSeq)
  return { seq: line === undefined ? round.fromSeq : round.queuedSeq, line: line ?? round.message.line, turn: round.turn }
}

function closingOf({ round }: RoundFact): string | null {
  const text = round.steps.findLast((s) => s.message !== null && s.message.text.value.trim() !== '')?.message?.text.value
  return text ?? null
}

function kindsOf(rounds: readonly RoundFact[]): Args['kinds'] {
  const kinds: Args['kinds'] = {}
  for (const { kind } of rounds) if (kind) kinds[kind] = (kinds[kind] ?? 0) + 1
  return kinds
}

function tokensOf({ tokens }: RoundFact): number {
  return tokens.input + tokens.output
}

function sum(rounds: readonly RoundFact[], of: (round: RoundFact) => number): number {
  return rounds.reduce((total, round) => total + of(round), 0)
}
