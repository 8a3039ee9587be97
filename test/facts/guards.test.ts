import { describe, expect, it } from 'vitest'
import { fail, log, question, type Log, type Turn } from '../support/log.ts'
import { fact } from '../support/rules.ts'

const PORT = question('port', 'Which port?')
const denied = (t: Turn): Turn => t.call('ask_user_question', { questions: [PORT] }, fail('not now'))
const goal = (): Log => log({ goal: 'Serve it', tools: ['ask_user_question', 'update_goal'] })

describe('guards fact', () => {
  it('names the goals whose guard led to a proper end', async () => {
    const blocked = goal().round(denied).round((t) => t.updateGoal('blocked', 'Which port?'))
    expect((await fact(blocked, 'guards')).worked).toMatchObject([{ goalId: blocked.goalId, end: 'blocked', denial: { reason: 'not now' } }])
    expect((await fact(goal().round(denied).round((t) => t.updateGoal('complete')), 'guards')).worked).toMatchObject([{ end: 'complete' }])
  })

  it('does not praise a guard whose goal goes on, or that let a question through', async () => {
    expect((await fact(goal().round(denied), 'guards')).worked).toEqual([])
    const leaky = goal().round(denied).round((t) => t.call('ask_user_question', { questions: [PORT] }, { answers: [{ id: 'port', selected: [], custom: '80' }] })).round((t) => t.updateGoal('complete'))
    expect((await fact(leaky, 'guards')).worked).toEqual([])
  })

  it('is sure of a nested denial only where receipts name errors', async () => {
    const nested = (first: string): Log => log({ goal: 'Serve it' }).round((t) => t
      .program('…', (p) => p.dispatch('read', { path: 'a' }, first === 'named' ? fail('no such file', 'FS_NOT_FOUND', 'FsError') : 'a').returns('a'))
      .program('…', (p) => p.ask([PORT], fail('not now'), 1).returns('no')))
    expect((await fact(nested('named'), 'guards')).asks).toMatchObject([{ gate: 'guard', certainty: 'proven' }])
    expect((await fact(nested('silent'), 'guards')).asks).toMatchObject([{ gate: 'guard', certainty: 'likely' }])
  })
})
