import type { Goal, Session, Turn } from '../model/session.ts'
import { defineRule, type Place } from './define.ts'

const CAUSES = {
  'max-tokens': 'a reply hit the output limit',
  error: 'a request to the model failed',
  restart: 'the process was restarted',
} as const
type Cause = keyof typeof CAUSES

export const stalledGoal = defineRule({
  id: 'stalled-goal',
  family: 'goals',
  severity: 'error',
  docs: {
    what: 'The goal is still active, but after an output limit, an error or a restart nothing continued it up to the end of the log.',
    why: 'The round driver stops by itself in these cases and says so nowhere: the goal looks active and nobody works on it.',
    fix: 'Resume the goal (`/goal resume`), and watch for turns that end with `max-tokens` or `error`.',
    misses: 'A driver that stopped for a reason the log does not show.',
    disproof: 'A later round of the goal, or a later log of the same session that has one.',
  },
  needs: [],
  text: ({ cause, lastRound }: { goalId: string; cause: Cause; lastRound: number }) => `The goal is active, but since ${CAUSES[cause]} after round ${lastRound} nothing has continued it.`,
  check({ session, report }) {
    if (isLive(session)) return
    const failed = session.turns.findLast((t) => causeOf(t) !== null) ?? null
    for (const goal of session.goals) {
      const last = goal.rounds.at(-1)
      if (!last || last.inherited || goal.phase !== 'active' || goal.cleared) continue
      const stop = stopAfter(session, failed, last.fromSeq)
      if (!stop || continues(session, goal, stop.at.seq)) continue
      report({
        at: stop.at, args: { goalId: goal.id, cause: stop.cause, lastRound: last.round }, certainty: 'likely',
        related: [{ seq: last.fromSeq, why: 'its last round began here' }],
      })
    }
  },
})

/** The log stops inside a turn: somebody may still be at work. */
function isLive({ turns }: Session): boolean {
  const last = turns.at(-1)
  return last !== undefined && last.end === null
}

/** `failed` is the last turn that ended badly. */
function stopAfter({ endSeeds }: Session, failed: Turn | null, seq: number): { cause: Cause; at: Place } | null {
  const restart = endSeeds.findLast((e) => !e.inherited)
  const ended = (failed?.end?.seq ?? 0) > seq ? failed : null
  const cause = ended ? causeOf(ended) : null
  if (restart && restart.seq > Math.max(seq, ended?.end?.seq ?? 0)) return { cause: 'restart', at: { seq: restart.seq, line: restart.line } }
  return ended?.end && cause ? { cause, at: { seq: ended.end.seq, line: ended.end.line, turn: ended.turn } } : null
}

function causeOf({ end }: Turn): Cause | null {
  const kind = end?.reason.kind
  return kind === 'max-tokens' || kind === 'error' ? kind : null
}

/** The human resumed it, or its next round is queued. */
function continues({ inbox }: Session, goal: Goal, seq: number): boolean {
  return goal.changes.some((c) => c.seq > seq && c.operation === 'resume')
    || inbox.some((m) => m.seq > seq && m.source.kind === 'goal' && m.source.goalId === goal.id && m.fate === 'left')
}
