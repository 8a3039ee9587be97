import { describe, expect, it } from 'vitest'
import { droppedAnswer } from '../../src/rules/dropped-answer.ts'
import { log, question, type Log } from '../support/log.ts'
import { analyserSaying, callsWith, findings, flow, UNKNOWN } from '../support/rules.ts'

const CODE = 'const r = await tools.ask_user_question({ questions }); return "asked"'
const DB = question('db', 'Which database?', ['Postgres', 'SQLite', 'DuckDB'])

function returning(text: string): Log {
  return log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).returns(text)).says('Ok.'))
}

describe('dropped-answer', () => {
  it('names the question, at the result that lacks the answer', async () => {
    const l = returning('asked')
    const found = await findings(droppedAnswer, l, analyserSaying({ flow: flow() }))
    expect(found).toMatchObject([{ certainty: 'proven', at: { seq: l.seqs('tool/result')[0], turn: 1, step: 1 }, related: [{ seq: l.seqs('dispatch/start')[0] }, { seq: l.seqs('dispatch/end')[0] }] }])
    expect(found[0]?.severity).toBeUndefined()
    expect(found[0]?.text).toContain('Which database?')
  })

  it('passes on the change of the program that the analyser knows', async () => {
    const fix = { line: 1, before: 'await ask()', after: 'return await ask()', verified: 'parsed' } as const
    expect(await findings(droppedAnswer, returning('asked'), analyserSaying({ flow: flow(), fix }))).toMatchObject([{ fix: 'Line 1 of the program: return await ask()' }])
  })

  it('is a warning when the program could not be analysed', async () => {
    expect(await findings(droppedAnswer, returning('asked'), UNKNOWN)).toMatchObject([{ certainty: 'possible', severity: 'warning' }])
  })

  it('is silent for an answer that is delivered, derived or used by the program itself', async () => {
    expect(await findings(droppedAnswer, returning('Postgres'), analyserSaying({ flow: flow({ returns: 'value' }) }))).toEqual([])
    expect(await findings(droppedAnswer, returning('port 5432'), analyserSaying({ flow: flow({ returns: 'value' }) }))).toEqual([])
    expect(await findings(droppedAnswer, returning('written'), analyserSaying({ flow: flow({ calls: callsWith('value') }) }))).toEqual([])
  })

  it('is silent while the run is still open', async () => {
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).open()))
    expect(await findings(droppedAnswer, l, analyserSaying({ flow: flow() }))).toEqual([])
  })
})
