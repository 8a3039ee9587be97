/** The matchers of `dsh-inquest/vitest` as plain functions, for any test runner. All throw `AssertionError`. */
import { AssertionError } from 'node:assert'
import { deliversEveryAnswer, type Diagnosed, type FindingFilter, hasFinding, hasNoIdleRounds, isGuarded, isHealthy, meets, type Outcome } from './expectations.ts'

export type { Diagnosed, FindingFilter } from './expectations.ts'

/** No answer of the human was dropped, lost, cut, evicted, or passed on only in part. */
export function assertEveryAnswerDelivered(run: Diagnosed): void {
  demand(deliversEveryAnswer(run), assertEveryAnswerDelivered)
}

/** At most `atMost` goal rounds (default none) got nowhere. */
export function assertNoIdleRounds(run: Diagnosed, options: { readonly atMost?: number } = {}): void {
  demand(hasNoIdleRounds(run, options.atMost), assertNoIdleRounds)
}

/** No question went out in a goal round past a missing, late, leaking or hiding guard. */
export function assertGuarded(run: Diagnosed): void {
  demand(isGuarded(run), assertGuarded)
}

/** No finding of severity error or warning. */
export function assertHealthy(run: Diagnosed): void {
  demand(isHealthy(run), assertHealthy)
}

/** There is a finding of the rule. */
export function assertFinding(run: Diagnosed, rule: string, filter: FindingFilter = {}): void {
  demand(hasFinding(run, rule, filter), assertFinding)
}

/** There is no finding of the rule. */
export function assertNoFinding(run: Diagnosed, rule: string, filter: FindingFilter = {}): void {
  const { pass, told } = hasFinding(run, rule, filter)
  demand({ pass: !pass, told }, assertNoFinding)
}

/** An assertion of `inquest check --assert` holds, e.g. `goal.phase == complete`. */
export function assertMeets(run: Diagnosed, expression: string): void {
  demand(meets(run, expression), assertMeets)
}

/** `caller`: the stack begins where it was called. */
function demand({ pass, told }: Outcome, caller: (...args: never[]) => void): void {
  if (!pass) throw new AssertionError({ message: told, stackStartFn: caller })
}
