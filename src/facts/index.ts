/**
 * Facts are derived from a session once, on demand, and shared by the rules that name them.
 * A fact may need other facts (`get`) and the program analyser; it never sees a rule or the report.
 */
import type { Session } from '../model/session.ts'
import type { ProgramAnalyser } from '../programs/index.ts'
import { activityFact, type Activity } from './activity.ts'
import { answersFact, type AnswerFact } from './answers.ts'
import type { FactContext } from './context.ts'
import { guardsFact, type GuardFacts } from './guards.ts'
import { idleStreaksFact, type IdleStreak } from './idle-streaks.ts'
import { leafCallsFact, type LeafCall } from './leaf-calls.ts'
import { loopsFact, type LoopFacts } from './loops.ts'
import { roundsFact, type RoundFact } from './rounds.ts'

export interface Facts {
  /** One entry per question item, in log order; inherited ones are left out. */
  readonly answers: readonly AnswerFact[]
  /** One entry per goal round, in log order; inherited ones included and marked. */
  readonly rounds: readonly RoundFact[]
  /** Calls that did something themselves: nested dispatches, native calls, and programs that dispatched nothing. */
  readonly leafCalls: readonly LeafCall[]
  readonly activity: Activity
  /** Rows of idle rounds, in log order; inherited rounds are left out. */
  readonly idleStreaks: readonly IdleStreak[]
  readonly guards: GuardFacts
  readonly loops: LoopFacts
}

export type FactName = keyof Facts

export type FactGetter = <N extends FactName>(name: N) => Promise<Facts[N]>

type Compute<T> = (context: FactContext<Facts>) => T | Promise<T>

const computes: { readonly [N in FactName]: Compute<Facts[N]> } = {
  answers: answersFact,
  rounds: roundsFact,
  leafCalls: leafCallsFact,
  activity: activityFact,
  idleStreaks: idleStreaksFact,
  guards: guardsFact,
  loops: loopsFact,
}

/** A lazy store of facts for one session: each is computed at most once; a failure is remembered and thrown again. */
export function createFacts(session: Session, programs: ProgramAnalyser): FactGetter {
  const cache: { [N in FactName]?: Promise<Facts[N]> } = {}
  function get<N extends FactName>(name: N): Promise<Facts[N]> {
    const known: Promise<Facts[N]> | undefined = cache[name]
    if (known) return known
    const compute: Compute<Facts[N]> = computes[name]
    const value = (async () => compute({ session, programs, get }))()
    const slot: { [K in N]?: Promise<Facts[K]> } = cache
    slot[name] = value
    return value
  }
  return get
}
