import { describe, expect, it } from 'vitest'
import { gates, gatesAfter, readRefusal } from '../../src/facts/service-codes.ts'

const AT_ONCE = 4
const LATER = 30_000
const text = (message: string) => ({ text: `Error: ${message}`, error: null })

describe('the gate that refused a question', () => {
  it.each([
    ['no user-questions provider is registered', 'NO_PROVIDER', 'no-provider'],
    ['no user-questions answerer accepted the request', 'NO_PROVIDER', 'no-provider'],
    ['the user cancelled ask_user_question', 'ASK_CANCELLED', 'cancelled'],
    ['ask_user_question was aborted before the user answered', 'ASK_ABORTED', 'aborted'],
    ['web user-questions provider was disposed', 'provider-gone', 'aborted'],
    ['invalid arguments: missing required property "questions"', 'INVALID_ARGS', 'invalid'],
    ['the user rejected tool "ask_user_question"', 'approval', 'denied'],
  ])('is told from its text: %s', (message, code, reason) => {
    const { gate, known } = readRefusal(text(message), LATER, false)
    expect([gate.code, gate.reason, known]).toEqual([code, reason, true])
  })

  it('is told from the error object where the text is open', () => {
    expect(readRefusal({ text: 'Error: whatever', error: { name: 'UserQuestionError', code: 'CALLER_NOT_LIVE' } }, LATER, false).gate.code).toBe('CALLER_NOT_LIVE')
  })

  it('is a denial when an unknown text comes at once, and the provider when it takes time', () => {
    expect(readRefusal(text('not in this round'), AT_ONCE, false).gate.reason).toBe('denied')
    expect(readRefusal(text('the dialog broke'), LATER, false).gate.reason).toBe('service-error')
  })

  it('is a denial after a wait too, when a hook or an approval spoke meanwhile', () => {
    expect(readRefusal(text('no'), LATER, true).gate.reason).toBe('denied')
  })

  it('is the service when an unknown error class answers: only what was reached can name its error', () => {
    expect(readRefusal({ text: 'Error: busy', error: { name: 'UserQuestionError', code: 'BUSY' } }, AT_ONCE, false).gate.code).toBe('provider-error')
  })

  it('a denial that only sounds like a dismissal is none', () => {
    expect(readRefusal(text('ask_user_question was cancelled by the round policy'), AT_ONCE, false).gate.reason).toBe('denied')
  })

  it('leaves the later gates unproven', () => {
    const delegated = gates.find((g) => g.code === 'DELEGATED_CALLER')
    const after = delegated ? gatesAfter(delegated).map((g) => g.code) : []
    expect(after).toContain('NO_PROVIDER')
    expect(after).not.toContain('EMPTY_QUESTIONS')
  })

  it('codes are unique', () => {
    expect(new Set(gates.map((g) => g.code)).size).toBe(gates.length)
  })
})
