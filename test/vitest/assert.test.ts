import { AssertionError } from 'node:assert'
import { expect, test } from 'vitest'
import { assertEveryAnswerDelivered, assertFinding, assertGuarded, assertHealthy, assertMeets, assertNoFinding, assertNoIdleRounds } from '../../src/assert.ts'
import { session, stuckSession } from '../support/report.ts'

test.each([
  ['assertEveryAnswerDelivered', assertEveryAnswerDelivered], ['assertNoIdleRounds', assertNoIdleRounds], ['assertGuarded', assertGuarded], ['assertHealthy', assertHealthy],
  ['assertNoFinding', (run: Parameters<typeof assertHealthy>[0]) => assertNoFinding(run, 'dropped-answer')],
  ['assertMeets', (run: Parameters<typeof assertHealthy>[0]) => assertMeets(run, 'rounds <= 9')],
])('%s passes a healthy run and throws for a stuck one', (_, demand) => {
  demand(session())
  expect(() => demand(stuckSession())).toThrow(AssertionError)
  expect(() => demand(stuckSession())).toThrow(/runs\/stuck\/session\.jsonl/)
})

test('assertFinding is the other way round', () => {
  assertFinding(stuckSession(), 'idle-rounds')
  expect(() => assertFinding(session(), 'idle-rounds')).toThrow('no such finding of idle-rounds')
})

test('the stack begins at the test', () => {
  try {
    assertHealthy(stuckSession())
  } catch (error) {
    expect(String(error instanceof Error && error.stack).split('\n').find((l) => l.trim().startsWith('at '))).toContain('assert.test.ts')
    return
  }
  throw new Error('did not throw')
})
