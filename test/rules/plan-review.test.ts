import { describe, expect, it } from 'vitest'
import { planReview } from '../../src/rules/plan-review.ts'
import { fail, log, type Log } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const PLAN = { plan: '# Plan\n\nDo it.' }
const FEEDBACK = fail('The user chose to keep planning; their feedback: name the port first')
const review = (outcome: unknown): Log => log({ tools: ['exit_plan_mode'] }).user('Plan it', (t) => t.call('exit_plan_mode', PLAN, outcome))

describe('plan-review', () => {
  it('is silent about an approved plan', async () => {
    expect(await findings(planReview, review('Plan approved. Go on.'))).toEqual([])
  })

  it.each([
    ['feedback', FEEDBACK, 'info', 'the human wants it changed'],
    ['a dismissal', fail('The user dismissed the plan review to speak instead'), 'info', 'the human dismissed the review to speak instead'],
    ['a plan without a heading', fail('exit_plan_mode requires a non-empty markdown plan starting with a # heading'), 'warning', 'the plan does not begin with a # heading'],
    ['a missing user interface', fail('no user-questions provider is registered', 'NO_PROVIDER'), 'warning', '“no user-questions provider is registered”'],
  ])('tells of %s', async (_, outcome, severity, means) => {
    expect(await findings(planReview, review(outcome))).toMatchObject([{ severity, args: { means } }])
  })

  it('warns when a program keeps the feedback to itself', async () => {
    const nested = (text: string): Log => log().user('Plan it', (t) => t.program('try { … } catch {}', (p) => p.dispatch('exit_plan_mode', PLAN, FEEDBACK).returns(text)))
    expect(await findings(planReview, nested('not yet'))).toMatchObject([{ severity: 'warning', args: { unheard: true } }])
    expect(await findings(planReview, nested('They said: name the port first'))).toMatchObject([{ severity: 'info', args: { unheard: false } }])
  })
})
