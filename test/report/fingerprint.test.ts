import { expect, test } from 'vitest'
import { fingerprint } from '../../src/report/fingerprint.ts'

const args = { question: 'Which port?', goalId: 'goal-1', first: 6, kinds: { replay: 3 }, closing: 'Still waiting.', path: '/tmp/run-8f3a1/x', unheard: true }

test('a re-recording changes nothing: other ids, numbers, times and closing words', () => {
  const again = { ...args, goalId: 'goal-2', first: 9, kinds: { replay: 4 }, closing: 'I am waiting for you.', path: '/tmp/run-77b02/x' }
  expect(fingerprint('idle-rounds', again, 0)).toBe(fingerprint('idle-rounds', args, 0))
})

test.each([
  ['another rule', 'lost-answer', args, 0], ['another question', 'idle-rounds', { ...args, question: 'Which host?' }, 0],
  ['another case of it', 'idle-rounds', { ...args, unheard: false }, 0], ['the next one of the kind', 'idle-rounds', args, 1],
  ['another question id', 'idle-rounds', { ...args, questionId: 'port' }, 0],
])('%s is another finding', (_, rule, other, nth) => {
  expect(fingerprint(rule, other, nth)).not.toBe(fingerprint('idle-rounds', args, 0))
})
