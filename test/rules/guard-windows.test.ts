/** gap-in-guard and leaked-guard: the same denials, judged by where the window of a guard should be. */
import { describe, expect, it } from 'vitest'
import { gapInGuard } from '../../src/rules/gap-in-guard.ts'
import { leakedGuard } from '../../src/rules/leaked-guard.ts'
import { fail, log, question, type Log, type Turn } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const PORT = question('port', 'Which port?')
const CODE = 'return await tools.ask_user_question({ questions })'
const admitted = (t: Turn): unknown => t.program(CODE, (p) => p.ask([PORT], { port: '80' }).returns('80'))
const denied = (t: Turn, text = 'not while the goal runs'): unknown => t.program(CODE, (p) => p.ask([PORT], fail(text), 1).fails(fail(`code run failed (exception): ToolCallError: ${text}`, 'CODE_RUN_FAILED', 'CodeRunFailedError')))
const goal = (): Log => log({ goal: 'Serve it' })

describe('gap-in-guard', () => {
  it('finds the question that got through between denied ones', async () => {
    const l = goal().round((t) => denied(t)).round(admitted).round((t) => denied(t))
    expect(await findings(gapInGuard, l)).toMatchObject([{ at: { seq: l.seqs('dispatch/start')[1] }, args: { admitted: 1, denied: 2 } }])
  })

  it('does not compare processes', async () => {
    expect(await findings(gapInGuard, goal().round(admitted).resume().round((t) => denied(t)))).toEqual([])
  })

  it('lets a guard pass questions while the human is there', async () => {
    const l = goal().round((t) => denied(t)).round((t) => admitted(t.says('Hm.').steers('Ask me')))
    expect(await findings(gapInGuard, l)).toEqual([])
  })
})

describe('leaked-guard', () => {
  it.each([0, 3, 4] as const)('finds a denial in a human turn after goal rounds (format %i)', async (format) => {
    const l = log({ format, goal: 'Serve it' }).round().user('Ask me', (t) => denied(t))
    expect(await findings(leakedGuard, l)).toMatchObject([{ at: { seq: l.seqs('dispatch/start')[0] }, certainty: 'likely' }])
  })

  it('is proven by the same denial inside a goal round', async () => {
    const l = goal().round((t) => denied(t)).user('Ask me', (t) => denied(t))
    expect(await findings(leakedGuard, l)).toMatchObject([{ certainty: 'proven' }])
  })

  it('takes denials of a session without goals for its policy', async () => {
    expect(await findings(leakedGuard, log().user('Ask me', (t) => denied(t)))).toEqual([])
  })

  it.each([
    ['an approval', 'the user rejected tool "ask_user_question"'],
    ['the harness', 'structured output already recorded: the run is complete, so `ask_user_question` is not executed'],
  ])('does not blame a guard for a denial by %s', async (_, text) => {
    expect(await findings(leakedGuard, goal().round().user('Ask me', (t) => denied(t, text)))).toEqual([])
  })

  it('does not blame a guard for a denial by a hook', async () => {
    const l = goal().round().user('Ask me', (t) => t.program(CODE, (p) => p
      .start('ask_user_question', { questions: [PORT] })
      .row('hook/invoked', { turn: t.turn, point: 'PreToolUse', dialect: 'claude-code', handlerId: 'h', matcher: '*' })
      .row('hook/result', { turn: t.turn, point: 'PreToolUse', handlerId: 'h', decision: 'block', exitCode: 2, durationMs: 3, stderrSummary: 'quiet hours' })
      .settle(1, fail('quiet hours')).returns('no')))
    expect(await findings(leakedGuard, l)).toEqual([])
  })

  it('does not take the failure of a question dialog for a denial', async () => {
    const l = goal().round().user('Ask me', (t) => t.program(CODE, (p) => p.ask([PORT], fail('the question dialog was closed'), 900).returns('no')))
    expect(await findings(leakedGuard, l)).toEqual([])
  })
})
