import { expect, test } from 'vitest'
import { fail, log, question, type Format } from './log.ts'

const formats: readonly Format[] = [0, 2, 3, 4]

function script(format: Format, chunks: 'packed' | 'single' | 'none' = 'packed') {
  return log({ format, chunks, goal: 'Ship it', cap: 4 })
    .round((r) => r
      .program('await tools.ask_user_question({}); return "asked"', (p) => p
        .ask([question('db', 'Which database?', ['Postgres', 'SQLite'])], { db: 'Postgres' })
        .returns('asked'))
      .says('Awaiting your decision'))
    .user('Anything new?', (t) => t
      .steps((s) => s.call('read', { path: 'a.txt' }, 'A').call('bash', { command: 'x' }, fail('no such command')), 'Looking')
      .program('return 1', (p) => p.start('read', { path: 'a' }).start('read', { path: 'b' }).settle(2, 'B').settle(1, 'A').prints('log').returns({ one: 1 }))
      .steers('Hurry up')
      .retries(2)
      .reminder('read', 3)
      .says('Done'))
    .compact('All is well')
    .round((r) => r.updateGoal('blocked', 'No password').says('I am blocked.'))
    .user('And now?', (t) => t.program('await tools.read({})', (p) => p.start('read', {}).open()))
    .resume()
    .user('Go on', (t) => t.call('read', { path: 'c' }, 'C'))
}

for (const format of formats) {
  test(`a written log of format ${format} is read without an issue`, async () => {
    const session = await script(format).session()
    expect(session.issues).toEqual([])
    expect(session.header.version).toBe(format)
    expect(session.turns.map((t) => t.end?.reason.kind)).toEqual(['completed', 'completed', 'completed', 'interrupted', 'completed'])
    expect(session.rounds).toHaveLength(2)
    expect(session.questions[0]?.outcome).toMatchObject({ kind: 'answered', answers: [{ id: 'db', selected: ['Postgres'] }] })
    expect(session.goals[0]).toMatchObject({ phase: 'blocked', blockedReason: { code: 'model-reported' } })
    expect(session.calls.at(-2)).toMatchObject({ result: { synthetic: 'interrupted' }, dispatches: [{ receipt: null }] })
    expect(session.compactions).toHaveLength(1)
  })
}
