/** swallowed-denial and ignored-denial: what programs and model make of a denial. */
import { describe, expect, it } from 'vitest'
import { ignoredDenial } from '../../src/rules/ignored-denial.ts'
import { swallowedDenial } from '../../src/rules/swallowed-denial.ts'
import { fail, log, question, type CallWriter, type Log, type QuestionItem } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const LIMIT = question('limit', 'Requests per minute?', ['100', 'block all'])
const REASON = 'nobody is here, go on "alone"'
const caught = (rest: (p: CallWriter) => unknown): Log => log({ goal: 'Limit it' })
  .round((t) => t.program('try { … } catch {}', (p) => rest(p.ask([LIMIT], fail(REASON), 1))).says('Done.'))

describe('swallowed-denial', () => {
  it('finds a default that stands in for the answer', async () => {
    const l = caught((p) => p.returns({ limit: 100 }))
    expect(await findings(swallowedDenial, l)).toMatchObject([{ at: { seq: l.seqs('dispatch/start')[0] } }])
  })

  it('finds a program without any output', async () => {
    expect(await findings(swallowedDenial, caught(() => undefined))).toHaveLength(1)
  })

  it.each([
    ['its reason inside JSON', { error: REASON }],
    ['the beginning of its reason', REASON.slice(0, 22)],
    ['words of its own', 'The question was refused, using 100.'],
    ['a flag', { asked: false, limit: 100 }],
    ['another language', '提问失败，使用默认值'],
  ])('is content with a result that shows %s', async (_, value) => {
    expect(await findings(swallowedDenial, caught((p) => p.returns(value)))).toEqual([])
  })

  it('does not take words of the question or of other results for the denial', async () => {
    expect(await findings(swallowedDenial, caught((p) => p.returns({ mode: 'block all' })))).toHaveLength(1)
    expect(await findings(swallowedDenial, caught((p) => p.dispatch('bash', { command: 'npm test' }, '3 failed').returns('3 failed')))).toHaveLength(1)
  })

  it('is content when the program reports the goal as blocked', async () => {
    expect(await findings(swallowedDenial, caught((p) => p.updateGoal('blocked', 'the limit').returns('ok')))).toEqual([])
  })

  it('leaves a program alone that failed with the denial', async () => {
    expect(await findings(swallowedDenial, caught((p) => p.fails(fail(`code run failed (exception): ToolCallError: ${REASON}`, 'CODE_RUN_FAILED', 'CodeRunFailedError'))))).toEqual([])
  })
})

function asking(items: readonly QuestionItem[], outcome = fail(REASON)): Log {
  const l = log({ goal: 'Limit it', tools: ['ask_user_question'] })
  for (const item of items) l.round((t) => t.call('ask_user_question', { questions: [item] }, outcome))
  return l
}

describe('ignored-denial', () => {
  it.each([
    ['the same id, reworded', [question('exits', 'How many exits?'), question('exits', 'How many exits are there?'), question('exits', 'Number of exits?')]],
    ['the same words under numbered ids', [1, 2, 3].map((n) => question(`q${n}`, 'Which host carries the mirror?'))],
    ['the same choices', ['Which?', 'Please choose', 'Decide'].map((text, i) => question(`q${i}`, text, ['Postgres', 'SQLite']))],
    ['the same id in Chinese', [question('store', '任务队列用哪种存储？'), question('store', '队列存储选哪个？'), question('store', '请选择存储方式')]],
  ])('finds a matter asked three times: %s', async (_, items) => {
    const l = asking(items)
    expect(await findings(ignoredDenial, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[2] }, args: { times: 3 } }])
  })

  it.each([
    ['different matters', ['title', 'body', 'footer'].map((id) => question(id, `Weight of the ${id}?`))],
    ['different matters under one careless id', ['the database?', 'a licence?', 'some colours?'].map((text) => question('choice', text))],
    ['different choices under one careless id', [['Postgres', 'SQLite'], ['MIT', 'GPL'], ['Red', 'Blue']].map((labels, i) => question('choice', `Which ${['database', 'licence', 'colour'][i]}?`, labels))],
    ['yes and no to different questions', ['Delete?', 'Publish?', 'Restart?'].map((text, i) => question(`q${i}`, text, ['Yes', 'No']))],
    ['only two tries', [LIMIT, LIMIT]],
  ])('is content with %s', async (_, items) => {
    expect(await findings(ignoredDenial, asking(items))).toEqual([])
  })

  it('does not count questions that reached the service', async () => {
    expect(await findings(ignoredDenial, asking([LIMIT, LIMIT, LIMIT], fail('no user-questions provider is registered', 'NO_PROVIDER')))).toEqual([])
  })
})
