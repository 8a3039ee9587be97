/**
 * Matchers for vitest: `import 'dsh-inquest/vitest'` in a test or a setup file.
 *
 *     expect(await diagnose('runs/checkout')).toDeliverEveryAnswer()
 */
import { expect } from 'vitest'
import { deliversEveryAnswer, type Diagnosed, type FindingFilter, hasFinding, hasNoIdleRounds, isGuarded, isHealthy, meets, type Outcome } from './expectations.ts'

interface InquestMatchers<R> {
  /** No answer of the human was dropped, lost, cut, evicted, or passed on only in part. */
  toDeliverEveryAnswer(): R
  /** At most `atMost` goal rounds (default none) got nowhere. */
  toHaveNoIdleRounds(options?: { readonly atMost?: number }): R
  /** No question went out in a goal round past a missing, late, leaking or hiding guard. */
  toBeGuarded(): R
  /** There is a finding of the rule, e.g. `toHaveFinding('dropped-answer', { args: { questionId: 'storage' } })`. */
  toHaveFinding(rule: string, filter?: FindingFilter): R
  /** No finding of severity error or warning. */
  toBeHealthy(): R
  /** An assertion of `inquest check --assert` holds, e.g. `toMeet('goal.phase == complete')`. */
  toMeet(expression: string): R
}

declare module 'vitest' {
  // oxlint-disable-next-line no-explicit-any, no-empty-object-type -- merging wants vitest's own type parameter
  interface Matchers<T = any> extends InquestMatchers<T> {}
}

function result({ pass, told }: Outcome) {
  return { pass, message: () => told }
}

expect.extend({
  toDeliverEveryAnswer: (run: Diagnosed) => result(deliversEveryAnswer(run)),
  toHaveNoIdleRounds: (run: Diagnosed, options?: { readonly atMost?: number }) => result(hasNoIdleRounds(run, options?.atMost)),
  toBeGuarded: (run: Diagnosed) => result(isGuarded(run)),
  toHaveFinding: (run: Diagnosed, rule: string, filter?: FindingFilter) => result(hasFinding(run, rule, filter)),
  toBeHealthy: (run: Diagnosed) => result(isHealthy(run)),
  toMeet: (run: Diagnosed, expression: string) => result(meets(run, expression)),
})
