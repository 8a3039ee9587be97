/** absent-repeat-guard, laundered-repetition, ignored-reminder: one call again and again. */
import { describe, expect, it } from 'vitest'
import { absentRepeatGuard } from '../../src/rules/absent-repeat-guard.ts'
import { ignoredReminder } from '../../src/rules/ignored-reminder.ts'
import { launderedRepetition } from '../../src/rules/laundered-repetition.ts'
import { log, type Log, type Turn } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const TEST = { command: 'npm test', description: 'Run all tests' }
const native = (format: 0 | 3 | 4 = 4): Log => log({ format, goal: 'Make it green', tools: ['bash', 'read', 'edit'] })
const run = (t: Turn, text = '3 failed', args: unknown = TEST): Turn => t.call('bash', args, text)
const wrapped = (l: Log, count: number, text = 'pending', code = (i: number) => `return (await tools.bash({ command })).slice(${i})`): Log =>
  l.rounds(count, (t, i) => t.program(code(i), (p) => p.dispatch('bash', { command: 'cr show 7' }, text).returns(text)).says('Still waiting.'))

describe('absent-repeat-guard', () => {
  it.each([0, 3, 4] as const)('finds five equal native calls over goal rounds without a reminder (format %i)', async (format) => {
    const l = native(format).rounds(5, (t) => run(t).says('Again.'))
    expect(await findings(absentRepeatGuard, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, args: { tool: 'bash', times: 5 } }])
  })

  it('finds them inside one program', async () => {
    const l = log().user('Try', (t) => t.program('for (…) …', (p) => { for (let i = 0; i < 6; i += 1) p.dispatch('bash', TEST, '3 failed'); return p.returns('gave up') }).says('Gave up.'))
    expect(await findings(absentRepeatGuard, l)).toMatchObject([{ args: { times: 6 } }])
  })

  it.each<[string, (l: Log) => unknown]>([
    ['a reminder came', (l) => l.rounds(5, (t, i) => run(i === 3 ? t.reminder('bash', 3) : t))],
    ['only four calls', (l) => l.rounds(4, (t) => run(t))],
    ['a human spoke in between', (l) => l.rounds(3, (t) => run(t)).user('Go on', (t) => run(run(t)))],
    ['a restart lies in between', (l) => l.rounds(3, (t) => run(t)).resume().rounds(3, (t) => run(t))],
    ['other calls stand in between', (l) => l.rounds(6, (t) => run(t).call('read', { path: 'a' }, 'a'))],
    ['the outcomes differ', (l) => l.rounds(6, (t, i) => run(t, `${i} failed`))],
    ['the argument texts differ, so that no chain forms', (l) => l.rounds(6, (t, i) => run(t, '3 failed', { ...TEST, description: `Try ${i}` }))],
    ['a server was busy', (l) => l.rounds(6, (t) => t.call('bash', { command: 'curl mirror' }, 'HTTP 503 Service Unavailable\n[exit code: 22]'))],
  ])('is content when %s', async (_, script) => {
    const l = native()
    script(l)
    expect(await findings(absentRepeatGuard, l)).toEqual([])
  })

  it('takes a look whose outcome changes by itself for a poll', async () => {
    const l = native().rounds(5, (t) => t.call('bash', { command: 'ls out' }, 'nothing')).round((t) => t.call('bash', { command: 'ls out' }, 'done.flag'))
    expect(await findings(absentRepeatGuard, l)).toEqual([])
  })

  it('does not take a test run for a poll that an edit turned green', async () => {
    const l = native().rounds(5, (t) => run(t)).round((t) => run(t.call('edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, 'ok'), 'all green'))
    expect(await findings(absentRepeatGuard, l)).toHaveLength(1)
  })

  it('does not judge a program whose step the log does not show to its end', async () => {
    const l = log().user('Try', (t) => t.program('for (…) …', (p) => { for (let i = 0; i < 6; i += 1) p.dispatch('bash', TEST, '3 failed'); return p.open() }))
    expect(await findings(absentRepeatGuard, l)).toEqual([])
  })
})

describe('laundered-repetition', () => {
  it('finds one call wrapped in ever new programs', async () => {
    const l = wrapped(log({ goal: 'Merge' }), 5)
    expect(await findings(launderedRepetition, l)).toMatchObject([{ at: { seq: l.seqs('dispatch/start')[0] }, args: { tool: 'bash', times: 5 } }])
  })

  it('is content with four', async () => {
    expect(await findings(launderedRepetition, wrapped(log({ goal: 'Merge' }), 4))).toEqual([])
  })

  it('leaves programs alone that do more than that', async () => {
    const l = log({ goal: 'Merge' }).rounds(8, (t) => t.program('…', (p) => p.dispatch('bash', { command: 'cr show 7' }, 'pending').dispatch('read', { path: 'a' }, 'a').returns('…')))
    expect(await findings(launderedRepetition, l)).toEqual([])
  })

  it('takes a poll that ends for waiting', async () => {
    expect(await findings(launderedRepetition, wrapped(wrapped(log({ goal: 'Merge' }), 6), 1, 'approved'))).toEqual([])
  })
})

describe('ignored-reminder', () => {
  const reminded = (more: number, text = '3 failed'): Log => native().rounds(3, (t) => run(t)).round((t) => run(t.reminder('bash', 3), text)).rounds(more, (t) => run(t, text))

  it('finds two equal calls after the reminder', async () => {
    const l = reminded(1)
    const [found, ...rest] = await findings(ignoredReminder, l)
    expect(l.rows.find((r) => r['seq'] === found?.at.seq)).toMatchObject({ type: 'user/message' })
    expect(found).toMatchObject({ args: { tool: 'bash', times: 2 } })
    expect(rest).toEqual([])
  })

  it('reports a row with several reminders once', async () => {
    const l = native().rounds(3, (t) => run(t)).round((t) => run(run(t.reminder('bash', 3)))).round((t) => run(run(t.reminder('bash', 5))))
    expect(await findings(ignoredReminder, l)).toMatchObject([{ args: { times: 4 } }])
  })

  it.each([
    ['the model stopped', () => native().rounds(3, (t) => run(t)).round((t) => t.reminder('bash', 3).says('I stop.'))],
    ['it tried once more', () => reminded(0)],
    ['the outcome changed', () => reminded(2, 'all green')],
  ])('is content when %s', async (_, script) => {
    expect(await findings(ignoredReminder, script())).toEqual([])
  })
})
