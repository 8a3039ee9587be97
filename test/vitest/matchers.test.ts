import { describe, expect, test } from 'vitest'
import '../../src/vitest.ts'
import { UsageError } from '../../src/errors.ts'
import { finding, report, round, session, stuckSession } from '../support/report.ts'

const healthy = session()
const stuck = stuckSession()
const both = report([healthy, stuck])

function messageOf(check: () => void): string {
  try {
    check()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('did not fail')
}

test('a healthy run passes all of them', () => {
  expect(healthy).toDeliverEveryAnswer()
  expect(healthy).toHaveNoIdleRounds()
  expect(healthy).toBeGuarded()
  expect(healthy).toBeHealthy()
  expect(healthy).not.toHaveFinding('dropped-answer')
  expect(report([healthy])).toMeet('goal.phase == complete')
})

test('a stuck run passes none of them, alone or among others', () => {
  for (const run of [stuck, both]) {
    expect(run).not.toDeliverEveryAnswer()
    expect(run).not.toHaveNoIdleRounds()
    expect(run).not.toBeGuarded()
    expect(run).not.toBeHealthy()
    expect(run).toHaveFinding('dropped-answer')
    expect(run).not.toMeet('goal.phase == complete')
  }
})

describe('the message shows the incident and the rows', () => {
  test('of a dropped answer', () => {
    expect(messageOf(() => expect(both).toDeliverEveryAnswer())).toBe([
      'runs/stuck/session.jsonl',
      '  Two answers of the human never reached the model, and the goal spun idle for 35 rounds waiting for them.',
      '  - storage “Which storage engine should the importer use?”: dropped, proven (asked seq 167, answered seq 168, result seq 169)',
      '    what to do: return what the question resolves to',
      '    - await tools.ask_user_question({ questions })',
      '    - return "asked"',
      '    + return await tools.ask_user_question({ questions })',
      '  - region “Which region?”: dropped, proven (asked seq 170, answered seq 171, result seq 172)',
    ].join('\n'))
  })

  test('of a finding', () => {
    const message = messageOf(() => expect(stuck).toBeGuarded())
    expect(message).toContain('unguarded-question (warning, likely) at seq 167, turn 1, step 2, line 168: A question was asked')
    expect(message).toContain('what to do: Mount the guard')
    expect(messageOf(() => expect(stuck).toHaveNoIdleRounds())).toContain('- round 28, seq 660–679: talk-only')
    expect(messageOf(() => expect(stuck).toMeet('rounds <= 9'))).toContain('rounds <= 9 does not hold: 62')
    expect(messageOf(() => expect(healthy).toHaveFinding('dropped-answer'))).toBe('no such finding of dropped-answer: runs/healthy/session.jsonl')
  })

  test('without escapes of the log', () => {
    expect(messageOf(() => expect(session({ findings: [finding({ text: 'a\u001b[31mb' })] })).toBeHealthy())).toContain(': ab\n')
  })
})

test('idle rounds may be allowed, and inherited ones are none of its own', () => {
  const idle = (inherited: boolean) => session({ rounds: [round(1, { state: 'idle', kind: 'replay', inherited }), round(2)] })
  expect(idle(false)).toHaveNoIdleRounds({ atMost: 1 })
  expect(idle(false)).not.toHaveNoIdleRounds()
  expect(idle(true)).toHaveNoIdleRounds()
})

test('a finding can be told by its arguments, severity and certainty', () => {
  expect(stuck).toHaveFinding('dropped-answer', { args: { questionId: 'storage' }, severity: 'error', certainty: 'proven' })
  expect(stuck).not.toHaveFinding('dropped-answer', { args: { questionId: 'port' } })
  expect(stuck).not.toHaveFinding('dropped-answer', { certainty: 'possible' })
})

test('a rule or subject that does not exist fails either way round', () => {
  expect(() => expect(stuck).not.toHaveFinding('droped-answer')).toThrow(UsageError)
  expect(() => expect(stuck).not.toMeet('rouns < 1')).toThrow('did you mean rounds?')
})

test('a run that could not be analysed fails either way round', () => {
  const unreadable = report([healthy], [{ source: 'x.jsonl', code: 'not-a-log', text: 'is no log', rule: null }])
  expect(() => expect(unreadable).toBeHealthy()).toThrow('x.jsonl: is no log')
  expect(() => expect(unreadable).not.toBeHealthy()).toThrow('x.jsonl: is no log')
})
