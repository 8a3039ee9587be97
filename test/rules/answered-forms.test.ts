import { describe, expect, it } from 'vitest'
import { emptyAnswer } from '../../src/rules/empty-answer.ts'
import { instantAnswer } from '../../src/rules/instant-answer.ts'
import { slowAnswer } from '../../src/rules/slow-answer.ts'
import { log, question, type Log, type Turn } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const CODE = 'const r = await tools.ask_user_question({ questions }); return "asked"'
const DB = question('db', 'Which database?', ['Postgres', 'SQLite', 'DuckDB'])
const NOTE = question('note', 'Anything to add?')
const ONE = question('ok', 'Ready?', ['Yes'])

function form(chosen: { readonly [id: string]: string | null }, ms: number, inGoal = false): Log {
  const l = log(inGoal ? { goal: 'Ship' } : {})
  const items = [DB, NOTE, ONE].filter((q) => q.id in chosen)
  const body = (t: Turn): unknown => t.program(CODE, (p) => p.ask(items, chosen, ms).returns('asked')).says('Ok.')
  return inGoal ? l.round(body) : l.user('go', body)
}

describe('empty-answer', () => {
  it('finds a form that was submitted empty', async () => {
    expect(await findings(emptyAnswer, form({ db: null, note: null }, 5000))).toHaveLength(1)
  })

  it('is silent when one item of the form was answered', async () => {
    expect(await findings(emptyAnswer, form({ db: null, note: 'no rush' }, 5000))).toEqual([])
  })
})

describe('instant-answer', () => {
  it('finds a choice or a text that came faster than anyone reads', async () => {
    expect(await findings(instantAnswer, form({ db: 'SQLite' }, 20))).toHaveLength(1)
    expect(await findings(instantAnswer, form({ note: 'whatever' }, 20))).toHaveLength(1)
  })

  it('is silent for a human pace, for the only option there was, and for an empty form', async () => {
    expect(await findings(instantAnswer, form({ db: 'SQLite' }, 2000))).toEqual([])
    expect(await findings(instantAnswer, form({ ok: 'Yes' }, 20))).toEqual([])
    expect(await findings(instantAnswer, form({ db: null }, 20))).toEqual([])
  })
})

describe('slow-answer', () => {
  it('is an info, and a warning in a goal round', async () => {
    const [plain] = await findings(slowAnswer, form({ db: 'SQLite' }, 300_000))
    expect(plain?.severity).toBeUndefined()
    expect(plain?.text).toContain('5 min')
    expect(await findings(slowAnswer, form({ db: 'SQLite' }, 300_000, true))).toMatchObject([{ severity: 'warning', args: { round: 1 } }])
  })

  it('is silent up to two minutes', async () => {
    expect(await findings(slowAnswer, form({ db: 'SQLite' }, 110_000))).toEqual([])
  })
})
