import { describe, expect, it } from 'vitest'
import { unguardedQuestion } from '../../src/rules/unguarded-question.ts'
import { fail, log, question, type CallWriter, type Failure, type Format } from '../support/log.ts'
import { analyserSaying, findings, flow } from '../support/rules.ts'

const PORT = question('port', 'Which port?', ['80', '8080'])
const CODE = 'return await tools.ask_user_question({ questions })'
const GUARD = fail('the driver is at the wheel')

const answered = (p: CallWriter): unknown => p.ask([PORT], { port: '80' }).returns('80')
const refused = (failure: Failure, ms = 2) => (p: CallWriter): unknown => p.ask([PORT], failure, ms).returns('no')
const inRound = (body: (p: CallWriter) => unknown, format: Format = 4) => log({ format, goal: 'Serve it' }).round((t) => t.program(CODE, body).says('Done.'))

describe('unguarded-question', () => {
  it.each([0, 2, 3, 4] as const)('finds a nested question answered in a goal round (format %i)', async (format) => {
    const l = inRound(answered, format)
    const [found, ...more] = await findings(unguardedQuestion, l)
    expect(found).toMatchObject({ at: { seq: l.seqs('dispatch/start')[0] }, args: { question: '“Which port?”', round: 1, waitMs: 60_005 }, certainty: 'proven' })
    expect(more).toEqual([])
  })

  it('finds a native question', async () => {
    const l = log({ goal: 'Serve it', tools: ['ask_user_question'] }).round((t) => t.call('ask_user_question', { questions: [PORT] }, fail('the user cancelled ask_user_question', 'ASK_CANCELLED')))
    expect(await findings(unguardedQuestion, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] } }])
  })

  it.each([
    ['nobody could answer', fail('no user-questions answerer accepted the request', 'NO_PROVIDER'), 2],
    ['the wait was aborted', fail('ask_user_question was aborted before the user answered', 'ASK_ABORTED'), 5000],
  ])('counts a question that reached the service: %s', async (_, failure, ms) => {
    expect(await findings(unguardedQuestion, inRound(refused(failure, ms)))).toHaveLength(1)
  })

  it.each([
    ['a guard denied it', GUARD, 2],
    ['its arguments were bad', fail('invalid arguments: questions: expected array', 'INVALID_ARGS', 'ToolArgsError'), 2],
    ['a listener failed after a while', fail('the dialog broke'), 4000],
  ])('does not count a question that came to nothing: %s', async (_, failure, ms) => {
    expect(await findings(unguardedQuestion, inRound(refused(failure, ms)))).toEqual([])
  })

  it('leaves questions outside goal rounds alone', async () => {
    expect(await findings(unguardedQuestion, log().user('Ask me', (t) => t.program(CODE, answered)))).toEqual([])
  })

  it('leaves a question alone once a human has steered the round', async () => {
    const l = log({ goal: 'Serve it' }).round((t) => t.says('Starting.').steers('Ask me about the port').program(CODE, answered))
    expect(await findings(unguardedQuestion, l)).toEqual([])
  })

  it('leaves a question alone while a prompt of the human waits in the inbox', async () => {
    const l = log({ goal: 'Serve it' }).round((t) => { t.says('Starting.'); t.log.queue({ kind: 'user' }, 'I am back', 'next-turn'); t.program(CODE, answered) })
    expect(await findings(unguardedQuestion, l)).toEqual([])
  })

  it('takes a question that stood open when the process died for one that waited', async () => {
    const l = inRound((p) => p.start('ask_user_question', { questions: [PORT] }).open()).wait(9000).resume()
    expect(await findings(unguardedQuestion, l)).toMatchObject([{ certainty: 'likely', text: expect.stringContaining('never got a result') }])
  })

  it('is an error when the run stood still for long, or when the answer was dropped', async () => {
    const slow = inRound((p) => p.ask([PORT], { port: '80' }, 130_000).returns('80'))
    expect(await findings(unguardedQuestion, slow)).toMatchObject([{ severity: 'error' }])
    const dropped = inRound((p) => p.ask([PORT], { port: '80' }).returns('asked'))
    expect(await findings(unguardedQuestion, dropped, analyserSaying({ flow: flow() }))).toMatchObject([{ severity: 'error', text: expect.stringContaining('never reached the model') }])
    expect((await findings(unguardedQuestion, inRound(answered)))[0]?.severity).toBeUndefined()
  })

  it('does not blame a fork for the questions of its parent', async () => {
    expect(await findings(unguardedQuestion, log({ seed: inRound(answered) }).user('And now?'))).toEqual([])
  })
})
