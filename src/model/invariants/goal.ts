import type { EventOf, GoalSnapshot, LogEvent } from '../../decode/event.ts'
import type { Fold, Report } from './fold.ts'

/** Operation → the phases it starts from, and the phase it ends in (null: the same). */
const TRANSITIONS: Readonly<Record<string, { readonly from: readonly string[]; readonly to: string | null }>> = {
  edit: { from: ['active', 'paused', 'blocked', 'complete'], to: null },
  pause: { from: ['active'], to: 'paused' },
  resume: { from: ['active', 'paused', 'blocked'], to: 'active' },
  complete: { from: ['active', 'paused', 'blocked'], to: 'complete' },
  block: { from: ['active'], to: 'blocked' },
}

/** The goal as the harness folds it (dsh-goal, fold): one at a time, revisions and rounds count up by one. */
export class GoalFold implements Fold {
  readonly #ids = new Set<string>()
  #goal: GoalSnapshot | null = null
  #rounds = 0

  event(e: LogEvent, report: Report): void {
    if (e.type === 'goal/change') this.#change(e, report)
    else if (e.type === 'user/message' && e.message.source.kind === 'goal' && (e.surfaceOp === 'append' || e.surfaceOp === null)) this.#round(e, report)
  }

  #change(e: EventOf<'goal/change'>, report: Report): void {
    const problem = e.operation === 'create' ? this.#createProblem(e) : this.#changeProblem(e)
    if (problem !== null) report('goal-fold', e, `Goal ${e.operation}: ${problem}.`)
    this.#ids.add(e.goalId)
    this.#goal = e.goal
    this.#rounds = e.goal ? e.roundsStarted : 0
  }

  #createProblem({ goalId, revision, goal, roundsStarted }: EventOf<'goal/change'>): string | null {
    if (this.#goal && this.#goal.phase !== 'complete') return `goal ${this.#goal.id} is still ${this.#goal.phase}`
    if (this.#ids.has(goalId)) return `the id ${goalId} was used before`
    if (revision !== 1 || goal?.phase !== 'active' || roundsStarted !== 0) return 'a new goal is active at revision 1 without rounds'
    return null
  }

  #changeProblem({ operation, goalId, revision, goal, roundsStarted }: EventOf<'goal/change'>): string | null {
    const before = this.#goal
    if (!before) return 'there is no goal'
    if (goalId !== before.id) return `it names ${goalId}, the goal is ${before.id}`
    if (revision !== before.revision + 1) return `revision ${revision} follows ${before.revision}`
    if (!goal) return null
    if (roundsStarted !== this.#rounds) return `it counts ${roundsStarted} rounds, the log has ${this.#rounds}`
    const transition = TRANSITIONS[operation]
    if (!transition) return null
    if (!transition.from.includes(before.phase)) return `the goal is ${before.phase}`
    if (goal.phase !== (transition.to ?? before.phase)) return `it leaves the goal ${goal.phase}`
    if (operation !== 'edit' && (goal.objective !== before.objective || goal.maxGoalRounds !== before.maxGoalRounds)) return 'it changes the objective or the cap'
    if (operation === 'resume' && roundsStarted >= goal.maxGoalRounds) return 'all rounds are used up'
    return null
  }

  /** Round 0 is how old logs recorded a goal change. */
  #round(e: EventOf<'user/message'>, report: Report): void {
    const { goalId, revision, round = 0 } = e.message.source
    if (round === 0) return
    const goal = this.#goal
    const problem =
      !goal || goal.id !== goalId ? `goal ${goalId ?? '?'} is not the current one`
      : goal.phase !== 'active' ? `the goal is ${goal.phase}`
      : revision !== goal.revision ? `it was made for revision ${revision ?? '?'}, the goal is at ${goal.revision}`
      : round !== this.#rounds + 1 ? `round ${this.#rounds + 1} was due`
      : round > goal.maxGoalRounds ? `the goal has only ${goal.maxGoalRounds} rounds`
      : null
    if (problem !== null) report('goal-fold', e, `Goal round ${round}: ${problem}.`)
    this.#rounds = round
  }
}
