import { describe, expect, it } from 'vitest'
import { abortedQuestion } from '../../src/rules/aborted-question.ts'
import { cancelledQuestion } from '../../src/rules/cancelled-question.ts'
import { pendingQuestion } from '../../src/rules/pending-question.ts'
import { rejectedQuestion } from '../../src/rules/rejected-question.ts'
import { fail, log, question, type CallWriter, type Log } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const CODE = 'const r = await tools.ask_user_question({ questions }); return "asked"'
const DB = question('db', 'Which database?', ['Postgres', 'SQLite', 'DuckDB'])
const ABORTED = fail('ask_user_question was aborted before the user answered')
const CANCELLED = fail('the user cancelled ask_user_question')
const DENIED = fail('nobody is here in this round')

function asked(failure: ReturnType<typeof fail>, ms: number, body: (p: CallWriter) => unknown = (p) => p.returns('ok')): Log {
  return log({ format: 0 }).user('go', (t) => t.program(CODE, (p) => body(p.ask([DB], failure, ms))).says('Ok.'))
}

function open(waitMs: number): Log {
  return log().user('go', (t) => t.program(CODE, (p) => p.start('ask_user_question', { questions: [DB] }).wait(waitMs).row('custom/tick', {}).open()))
}

describe('pending-question', () => {
  it('finds a question that outlived its process, and a live one after ten minutes', async () => {
    expect(await findings(pendingQuestion, open(1000).resume())).toHaveLength(1)
    expect(await findings(pendingQuestion, open(11 * 60_000))).toMatchObject([{ args: { openMs: expect.any(Number) } }])
  })

  it('is an error in a goal round', async () => {
    const l = log({ goal: 'Ship' }).round((t) => t.program(CODE, (p) => p.start('ask_user_question', { questions: [DB] }).open())).resume()
    expect(await findings(pendingQuestion, l)).toMatchObject([{ severity: 'error', args: { round: 1 } }])
  })

  it('lets a live question wait for a while, and is silent once it is answered', async () => {
    expect(await findings(pendingQuestion, open(60_000))).toEqual([])
    expect(await findings(pendingQuestion, log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'SQLite' }).returns('SQLite'))))).toEqual([])
  })
})

describe('aborted-question', () => {
  it('names the deadline', async () => {
    const l = asked(ABORTED, 600_000, (p) => p.fails('timeout', 'wall-clock ceiling reached (600000ms)'))
    expect(await findings(abortedQuestion, l)).toMatchObject([{ args: { cause: 'deadline' }, at: { seq: l.seqs('dispatch/start')[0] } }])
  })

  it('names a program that did not wait', async () => {
    expect(await findings(abortedQuestion, asked(ABORTED, 60_000))).toMatchObject([{ args: { cause: 'run-over' } }])
  })

  it('is silent when the human refused, or a guard did', async () => {
    expect(await findings(abortedQuestion, asked(CANCELLED, 9000))).toEqual([])
    expect(await findings(abortedQuestion, asked(DENIED, 2))).toEqual([])
  })
})

describe('cancelled-question', () => {
  it('finds a dismissed question, and no aborted one', async () => {
    expect(await findings(cancelledQuestion, asked(CANCELLED, 9000))).toHaveLength(1)
    expect(await findings(cancelledQuestion, asked(ABORTED, 9000))).toEqual([])
  })
})

describe('rejected-question', () => {
  it('names code and layer, and the gates that are not proven to be open', async () => {
    const l = asked(fail('human interaction is unavailable while the calling agent is owned by another live agent (x)'), 3)
    const [found] = await findings(rejectedQuestion, l)
    expect(found).toMatchObject({ args: { code: 'DELEGATED_CALLER', layer: 'service' }, certainty: 'proven' })
    expect(found?.fix).toContain('NO_PROVIDER')
  })

  it('finds arguments that hold no question at all', async () => {
    const l = log().user('go', (t) => t.program(CODE, (p) => p.dispatch('ask_user_question', { question: 'Which?' }, fail('invalid arguments: missing required property "questions"', 'INVALID_ARGS', 'ToolArgsError')).returns('ok')))
    expect(await findings(rejectedQuestion, l)).toMatchObject([{ args: { code: 'INVALID_ARGS' } }])
  })

  it('leaves denials, aborts and dismissals to others', async () => {
    for (const [failure, ms] of [[DENIED, 2], [ABORTED, 9000], [CANCELLED, 9000]] as const) expect(await findings(rejectedQuestion, asked(failure, ms))).toEqual([])
  })
})
