/** Logs with very many of one thing are judged in a time that grows with them, not with their square. */
import { expect, test } from 'vitest'
import { diagnose } from '../../src/index.ts'
import { text } from '../../src/reporters/text/index.ts'
import { answers, fail, log, question, type Log } from '../support/log.ts'

const MANY = 60_000
const ROUNDS = 6000
const ASKS = 1000

function times(count: number, write: (i: number) => unknown): void {
  for (let i = 1; i <= count; i += 1) write(i)
}

const logs: Readonly<Record<string, () => Log>> = {
  'hooks that answer late': () => log().user('go', (t) => t.bare((l, { turn }) => {
    const hook = { turn, point: 'PreToolUse', handlerId: 'h' }
    times(MANY, () => l.row('hook/invoked', { ...hook, dialect: 'claude-code', matcher: '*' }))
    times(MANY, () => l.row('hook/result', { ...hook, decision: 'allow', exitCode: 0, stderrSummary: '', durationMs: 5 }))
  })),
  'rounds, streaks and jobs': () => log({ goal: 'Ship it', cap: MANY, tools: ['bash', 'update_goal'] }).rounds(ROUNDS, (r, i) => (i % 4 === 0
    ? r.call('bash', { command: `make part-${i}` }, `started background job job-${i}`)
    : r.says(`Waiting for round ${i}`))),
  'answers that never arrive': () => {
    const l = log()
    times(ASKS, (i) => l.user(`go ${i}`, (t) => {
      const asked = [question(`q-${i}`, `Which store shall part ${i} use?`)]
      t.call('ask_user_question', { questions: asked }, i % 2 === 0 ? fail('user question cancelled', 'ASK_CANCELLED') : answers(asked, { [`q-${i}`]: `own words ${i}` }))
      t.program(`await tools.ask_user_question({ questions: [{ id: "q-${i}", question: "Which?" }] })`, (p) => p.ask(asked, { [`q-${i}`]: `my words ${i}` }))
    }))
    return l
  },
}

test.each(Object.keys(logs))('%s', async (name) => {
  const written = logs[name]?.()
  const start = process.cpuUsage()
  const session = await written?.session()
  const report = await diagnose(session ?? [], { replay: false })
  text(report, { color: false, unicode: true, width: 100, verbosity: 'verbose' })
  const { user, system } = process.cpuUsage(start)
  expect(report.failures).toEqual([])
  expect((user + system) / 1e6).toBeLessThan(30)
}, 300_000)
