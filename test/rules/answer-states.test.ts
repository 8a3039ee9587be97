import { describe, expect, it } from 'vitest'
import type { Rule } from '../../src/rules/define.ts'
import { consumedAnswer } from '../../src/rules/consumed-answer.ts'
import { evictedAnswer } from '../../src/rules/evicted-answer.ts'
import { lateAnswer } from '../../src/rules/late-answer.ts'
import { lostAnswer } from '../../src/rules/lost-answer.ts'
import { partialAnswer } from '../../src/rules/partial-answer.ts'
import { truncatedAnswer } from '../../src/rules/truncated-answer.ts'
import { log, question, spilled, type CallWriter, type Log } from '../support/log.ts'
import { analyserSaying, callsWith, findings, flow } from '../support/rules.ts'

const CODE = 'const r = await tools.ask_user_question({ questions }); return "asked"'
const DB = question('db', 'Which database?', ['Postgres', 'SQLite', 'DuckDB'])
const TWO = question('db', 'Which databases?', ['Postgres', 'SQLite', 'DuckDB'], { multi_select: true })
const RETURNED = flow({ returns: 'value' })

function program(body: (p: CallWriter) => unknown): Log {
  return log().user('go', (t) => t.program(CODE, (p) => body(p.ask([DB], { db: 'Postgres' }))))
}

const sick: [string, Rule, () => Log, ReturnType<typeof flow>][] = [
  ['partial', partialAnswer, () => log().user('go', (t) => t.program(CODE, (p) => p.ask([TWO], { db: ['Postgres', 'SQLite'] }).returns('Postgres'))), RETURNED],
  ['lost', lostAnswer, () => program((p) => p.fails('exception', 'TypeError: x is undefined')), RETURNED],
  ['truncated', truncatedAnswer, () => program((p) => p.returns(spilled('head', 70_000))), RETURNED],
  ['evicted', evictedAnswer, () => program((p) => p.returns('Postgres')).compact('work goes on').user('and?', (t) => t.says('Hm.')), RETURNED],
  ['consumed', consumedAnswer, () => program((p) => p.dispatch('write', { file_path: 'a', content: 'Postgres' }).returns('ok')), flow({ calls: callsWith('value') })],
  ['late', lateAnswer, () => program((p) => p.returns('asked')).user('go on', (t) => t.says('Hm.')).user('I said Postgres', (t) => t.says('Ok.')), flow()],
]

describe.each(sick)('%s-answer', (state, rule, bad, how) => {
  it('finds the item at its result', async () => {
    const l = bad()
    expect(await findings(rule, l, analyserSaying({ flow: how }))).toMatchObject([{ at: { seq: l.seqs('tool/result')[0] }, args: { questionId: 'db' } }])
  })

  it('is silent for an answer the model got', async () => {
    expect(await findings(rule, program((p) => p.returns('Postgres')), analyserSaying({ flow: RETURNED }))).toEqual([])
  })

  it('is silent for items in any other state', async () => {
    for (const [other, , log_, flow_] of sick) {
      if (other !== state) expect(await findings(rule, log_(), analyserSaying({ flow: flow_ }))).toEqual([])
    }
  })
})

describe('late-answer', () => {
  it('is only an info when the very next request had it', async () => {
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).returns('asked')).steers('Postgres, please').says('Ok.'))
    expect(await findings(lateAnswer, l, analyserSaying({ flow: flow() }))).toMatchObject([{ severity: 'info' }])
  })

  it('states the delay', async () => {
    const l = program((p) => p.returns('asked')).user('go on', (t) => t.says('Hm.')).wait(3_600_000).user('I said Postgres', (t) => t.says('Ok.'))
    expect((await findings(lateAnswer, l, analyserSaying({ flow: flow() })))[0]?.text).toContain('60 min')
  })
})

describe('lost-answer', () => {
  it('is only an info while the log ends inside the run: it may still come', async () => {
    const l = program((p) => p.open())
    expect(await findings(lostAnswer, l)).toMatchObject([{ severity: 'info', args: { failure: 'pending' } }])
  })
})
