import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../src/errors.ts'
import { parseAssertion, subjectNames } from '../../src/report/assertions.ts'
import { answer, session, stuckSession } from '../support/report.ts'

const stuck = stuckSession()
const bare = session({ goals: [], rounds: [], answers: [] })

test.each([
  ['goal.phase == active', true], ['goal.phase == complete', false], ['goal.phase != blocked', true],
  ['rounds <= 62', true], ['rounds < 62', false], ['rounds.idle == 35', true], ['rounds.progress > 24', true],
  ['answers == 3', true], ['answers.dropped == 0', false], ['answers.delivered >= 1', true],
  ['waitMs < 1300', true], ['waitMs<1200', false], ['verdict == sick', true], ['findings.error <= 2', false],
  ['tools.used contains run_code', true], ['tools.used never "ask_user_question"', false], ['tools.used never bash', true],
  ['model == deepseek-chat', true], ['durationMs <= 4320000', true], ['goal.inputTokens < 1', false],
])('%s', (expression, holds) => {
  expect(parseAssertion(expression).measure(stuck)?.holds).toBe(holds)
})

test('every value has to hold, and the ones that do not are named', () => {
  const slow = session({ answers: [answer({ waitMs: 10 }), answer({ waitMs: 900 }), answer({ waitMs: 700 }), answer({ waitMs: null })] })
  expect(parseAssertion('waitMs < 500').measure(slow)).toEqual({ holds: false, actual: '900, 700' })
})

test('a session that has no such thing is not measured', () => {
  for (const expression of ['goal.phase == complete', 'waitMs < 1', 'goal.ms < 1']) expect(parseAssertion(expression).measure(bare)).toBeNull()
  expect(parseAssertion('rounds == 0').measure(bare)).toEqual({ holds: true, actual: '0' })
  expect(parseAssertion('tools.used contains bash').measure(session({ tools: [] }))).toEqual({ holds: false, actual: 'none' })
})

test('inherited rounds belong to the parent', () => {
  const fork = session({ rounds: session().rounds.map((r) => ({ ...r, inherited: true })) })
  expect(parseAssertion('rounds == 0').measure(fork)?.holds).toBe(true)
})

describe('what is refused', () => {
  test.each([
    ['rouns <= 3', 'unknown subject rouns (did you mean rounds?)'],
    ['goal.phase == completed', 'goal.phase is never completed (did you mean complete?)'],
    ['rounds <= many', 'rounds is a number, many is none'],
    ['rounds contains 3', 'rounds takes ==, !=, <=, >=, <, >, not contains'],
    ['goal.phase < active', 'goal.phase takes ==, !=, not <'],
    ['tools.used == bash', 'tools.used takes contains, never, not =='],
    ['rounds', 'expected SUBJECT OPERATOR VALUE'],
    ['rounds <= 3 || true', 'expected SUBJECT OPERATOR VALUE'],
    ['process.exit(1) == 1', 'expected SUBJECT OPERATOR VALUE'],
    ['__proto__ == 1', 'expected SUBJECT OPERATOR VALUE'],
    ['constructor == 1', 'unknown subject constructor'],
  ])('%s', (expression, message) => {
    expect(() => parseAssertion(expression)).toThrow(UsageError)
    expect(() => parseAssertion(expression)).toThrow(message)
  })
})

test('any text is an assertion or a usage error', () => {
  const word = fc.oneof(fc.constantFrom(...subjectNames, '==', '<=', 'contains', 'never', '"x"', '3'), fc.string())
  fc.assert(fc.property(fc.array(word, { maxLength: 4 }), (words) => {
    try {
      parseAssertion(words.join(' ')).measure(stuck)
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError)
    }
  }))
})

test('the printed form means the same', () => {
  fc.assert(fc.property(fc.constantFrom(...subjectNames.filter((n) => /^(?:rounds|answers|findings)/.test(n))), fc.constantFrom('==', '!=', '<=', '>=', '<', '>'), fc.nat(99), (name, operator, value) => {
    const { expression } = parseAssertion(`  ${name}${operator}${value} `)
    expect(expression).toBe(`${name} ${operator} ${value}`)
    expect(parseAssertion(expression).expression).toBe(expression)
  }))
})
