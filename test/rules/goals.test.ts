import { describe, expect, it } from 'vitest'
import { busyWait } from '../../src/rules/busy-wait.ts'
import { idleRounds } from '../../src/rules/idle-rounds.ts'
import { missingGoalTool } from '../../src/rules/missing-goal-tool.ts'
import { refusedGoalUpdate } from '../../src/rules/refused-goal-update.ts'
import { roundCap } from '../../src/rules/round-cap.ts'
import { stalledGoal } from '../../src/rules/stalled-goal.ts'
import { unreportedBlocker } from '../../src/rules/unreported-blocker.ts'
import { answers, fail, log, question, type Log, type Turn } from '../support/log.ts'
import { findings, notEvaluated } from '../support/rules.ts'

const start = (cap = 256): Log => log({ goal: 'Ship it', cap, tools: ['run_code', 'bash', 'read', 'edit', 'job_output', 'ask_user_question', 'update_goal'] })
const ask = [question('db', 'Which database?', ['A', 'B'])]
const work = (r: Turn, i: number): Turn => r.call('edit', { file_path: 'a.ts', old_string: `x${i}`, new_string: `y${i}` }, 'ok').says('Done with it.')
const check = (r: Turn): Turn => r.call('bash', { command: 'git status' }, 'clean').says('As before.')
const refuse = (r: Turn): Turn => r.call('update_goal', { action: 'complete', revision: 1 }, fail('stale goal revision', 'GOAL_STALE_REVISION', 'GoalError'))
const unheard = (r: Turn): Turn => r.program('await tools.ask_user_question({ questions }); return "asked"', (p) => p.ask(ask, { db: 'A' }).returns('asked'))

describe('idle-rounds', () => {
  it('reports a row once, from the queueing of its first round, and what it waited for', async () => {
    const l = start().round((r) => { unheard(r); check(r) }).rounds(4, check)
    const [found, ...more] = await findings(idleRounds, l)
    expect(found).toMatchObject({
      severity: 'error', toSeq: l.seq, args: { first: 2, last: 5, count: 4, waitsFor: 'undelivered-answer', kinds: { replay: 4 }, closing: 'As before.' },
    })
    expect(found?.at.seq).toBe(l.seqs('agent/inbox/spliced')[2])
    expect(more).toEqual([])
  })

  it('calls two a remark and one nothing', async () => {
    expect(await findings(idleRounds, start().round((r) => work(r, 0)).round((r) => r.says('Hm.')).round((r) => work(r, 1)))).toEqual([])
    expect(await findings(idleRounds, start().round((r) => work(r, 0)).rounds(2, (r) => r.says('Hm.')).round((r) => work(r, 1)))).toMatchObject([{ severity: 'info' }])
  })

  it('is milder when a blocker was reported and little was lost', async () => {
    const l = start().rounds(20, work).rounds(3, (r) => r.says('Hm.')).round((r) => r.updateGoal('blocked', 'No key').says('Blocked.'))
    expect(await findings(idleRounds, l)).toMatchObject([{ severity: 'warning', args: { waitsFor: 'human-decision' } }])
  })

  it('lets a human turn end the row', async () => {
    const l = start().round((r) => work(r, 0)).rounds(2, (r) => r.says('Hm.')).user('Go on', (t) => t.says('Yes.')).rounds(2, (r) => r.says('Hm.'))
    expect((await findings(idleRounds, l)).map((f) => f.args['count'])).toEqual([2, 2])
  })

  it('tells texts apart that are cut, knows one again that was cut since, and says what it cannot see', async () => {
    const big = (n: number): string => `${'.'.repeat(500_000)}${n}${'.'.repeat(500_000)}`
    const reads = (r: Turn, n: number): Turn => r.call('read', { file_path: 'a.ts' }, big(n)).says('Hm.')
    const l = start().rounds(20, reads).rounds(4, (r) => reads(r, 0))
    expect(await findings(idleRounds, l)).toMatchObject([{ args: { first: 21, last: 24 } }])
    expect(await notEvaluated(idleRounds, l)).toMatchObject([expect.stringContaining('only the ends are kept')])
    expect(await notEvaluated(idleRounds, start().rounds(3, (r) => r.says('Hm.')))).toEqual([])
  })

  it('counts neither inherited rounds nor the open end of a copy', async () => {
    const parent = start().rounds(4, (r) => r.says('Hm.'))
    expect(await findings(idleRounds, log({ seed: parent, tools: ['update_goal'] }))).toEqual([])
    expect(await findings(idleRounds, start().round((r) => r.says('Hm.')).round((r) => r.says('Hm.').crashes()))).toEqual([])
  })

  it.each([
    ['refused-goal-update', refuse, ['update_goal']],
    ['missing-tool', (r: Turn) => r.says('Done, but I cannot say so.'), ['bash']],
    ['external-job', (r: Turn) => r.call('bash', { command: 'ci show 1' }, 'queued'), ['bash', 'update_goal']],
    ['human-decision', (r: Turn) => r.call('bash', { command: 'push' }, fail('login required')), ['bash', 'update_goal']],
    [null, (r: Turn) => r.says('Hm.'), ['update_goal']],
  ])('waits for %s', async (waitsFor, body, tools) => {
    const l = log({ goal: 'Ship it', tools }).rounds(5, body)
    expect(await findings(idleRounds, l)).toMatchObject([{ args: { waitsFor } }])
  })
})

describe('unreported-blocker', () => {
  it('finds rounds that wait for a lost answer', async () => {
    expect(await findings(unreportedBlocker, start().round((r) => { unheard(r); check(r) }).rounds(3, check))).toMatchObject([{ args: { first: 2, last: 4, blocker: 'undelivered-answer' } }])
  })

  it('is silent when the blocker was reported, if late, or nothing shows one', async () => {
    expect(await findings(unreportedBlocker, start().round((r) => { unheard(r); check(r) }).rounds(3, check).round((r) => r.updateGoal('blocked', 'No answer')))).toEqual([])
    expect(await findings(unreportedBlocker, start().round((r) => work(r, 0)).rounds(4, (r) => r.says('I will begin now.')))).toEqual([])
  })

  it('takes a human who unlocks the work as the sign of a blocker', async () => {
    const ended = (text: string): Log => start().round((r) => { work(r, 0); check(r) })
      .rounds(3, (r) => check(r).says('The host name is missing.')).user(text, (t) => t.says('Thanks.')).round((r) => work(r, 1))
    expect(await findings(unreportedBlocker, ended('The host is x'))).toMatchObject([{ args: { blocker: 'human-decision' } }])
    expect(await findings(unreportedBlocker, ended('Now write the docs'))).toEqual([])
  })

  it('does not blame a denied question after which the work went on', async () => {
    const deny = (r: Turn): Turn => r.call('ask_user_question', { questions: [question('region', 'Which region?', ['north', 'south'])] }, fail('No questions here.'))
    expect(await findings(unreportedBlocker, start().round(deny).round((r) => work(r, 0)).rounds(3, (r) => r.says('All is done.')))).toEqual([])
    expect(await findings(unreportedBlocker, start().round(deny).rounds(3, (r) => r.says('All is done.')))).toMatchObject([{ args: { blocker: 'human-decision' } }])
  })
})

describe('busy-wait', () => {
  const poll = (r: Turn, result: string): Turn => r.call('job_output', { job_id: 'bash-1' }, result)

  it('finds four unchanged looks at what changed later', async () => {
    const l = start().rounds(4, (r) => poll(r, '[status: running]')).round((r) => poll(r, '[status: completed, exit code 0]'))
    expect(await findings(busyWait, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, toSeq: l.seqs('tool/result')[4], args: { tool: 'job_output', polls: 4 } }])
  })

  it('leaves alone fewer looks, looks inside one program, and services that were down', async () => {
    expect(await findings(busyWait, start().rounds(3, (r) => poll(r, '[status: running]')).round((r) => poll(r, 'done')))).toEqual([])
    const program = start().round((r) => r.program('…', (p) => { for (let i = 0; i < 6; i += 1) p.dispatch('job_output', { job_id: 'b' }, i < 5 ? 'running' : 'done'); p.returns('done') }))
    expect(await findings(busyWait, program)).toEqual([])
    const down = start().rounds(5, (r, i) => r.call('bash', { command: 'curl x' }, i < 4 ? fail('503 Service Unavailable') : 'ok'))
    expect(await findings(busyWait, down)).toEqual([])
  })
})

describe('stalled-goal', () => {
  it.each([
    ['max-tokens', { kind: 'max-tokens' }],
    ['error', { kind: 'error', error: { message: 'too long', code: 'CONTEXT_WINDOW_EXCEEDED', status: 400 } }],
  ])('finds a goal that %s stopped', async (cause, reason) => {
    const l = start().round((r) => work(r, 0)).round((r) => r.says('cut').ends(reason))
    expect(await findings(stalledGoal, l)).toMatchObject([{ at: { seq: l.seq }, args: { cause, lastRound: 2 } }])
  })

  it('finds a goal that nobody resumed after a restart', async () => {
    const l = start().round((r) => work(r, 0)).resume().user('What now?', (t) => t.says('Nothing.'))
    expect(await findings(stalledGoal, l)).toMatchObject([{ at: { seq: l.seqs('session/end-seed')[0] }, args: { cause: 'restart' } }])
  })

  it('is silent between two rounds, in a live copy, after a resume, and when the goal ended', async () => {
    expect(await findings(stalledGoal, start().round((r) => work(r, 0)))).toEqual([])
    expect(await findings(stalledGoal, start().round((r) => r.says('hm').crashes()))).toEqual([])
    const resumed = start().round((r) => r.says('cut').ends({ kind: 'max-tokens' }))
    resumed.command('goal', ' resume', () => resumed.goalChange('resume'))
    expect(await findings(stalledGoal, resumed)).toEqual([])
    expect(await findings(stalledGoal, start().round((r) => r.updateGoal('complete').ends({ kind: 'max-tokens' })))).toEqual([])
  })
})

describe('refused-goal-update', () => {
  it('finds three refusals for one goal', async () => {
    const l = start().rounds(3, refuse)
    expect(await findings(refusedGoalUpdate, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, args: { count: 3, reason: 'stale goal revision' } }])
  })

  it('is silent about two, and about aborted calls', async () => {
    expect(await findings(refusedGoalUpdate, start().rounds(2, refuse))).toEqual([])
    expect(await findings(refusedGoalUpdate, start().rounds(3, (r) => r.call('update_goal', { action: 'complete' }, fail('tool call aborted', 'ABORTED', 'AbortError'))))).toEqual([])
  })
})

describe('missing-goal-tool', () => {
  it('finds rounds without `update_goal`, natively and in Code Mode', async () => {
    expect(await findings(missingGoalTool, log({ goal: 'x', tools: ['bash'] }).rounds(2, (r) => r.says('Hm.')))).toMatchObject([{ args: { first: 1, last: 2 } }])
    const system = 'Tools:\ninterface Tools {\n  bash(args: object): Promise<string>;\n}'
    expect(await findings(missingGoalTool, log({ goal: 'x', system }).round((r) => r.program('…', (p) => p.dispatch('bash', { command: 'ls' }, 'a').returns('a'))))).toHaveLength(1)
  })

  it('is silent where the tool is offered', async () => {
    expect(await findings(missingGoalTool, start().round((r) => r.says('Hm.')))).toEqual([])
    const system = 'Tools:\ninterface Tools {\n  update_goal(args: object): Promise<string>;\n}'
    expect(await findings(missingGoalTool, log({ goal: 'x', system }).round((r) => r.says('Hm.')))).toEqual([])
  })
})

describe('round-cap', () => {
  it('finds a goal that used up its rounds, productive or not', async () => {
    const l = start(2).rounds(2, work).roundLimit()
    expect(await findings(roundCap, l)).toMatchObject([{ at: { seq: l.seq }, args: { cap: 2, idle: 0 } }])
  })

  it('is silent when the last allowed round completes it, or the model blocks it', async () => {
    expect(await findings(roundCap, start(2).round((r) => work(r, 0)).round((r) => r.updateGoal('complete')))).toEqual([])
    expect(await findings(roundCap, start(2).round((r) => r.updateGoal('blocked', 'No key')))).toEqual([])
  })

  it('does not take a delivered answer for idleness', async () => {
    const l = start(1).round((r) => r.call('ask_user_question', { questions: ask }, answers(ask, { db: 'A' }))).roundLimit()
    expect(await findings(roundCap, l)).toMatchObject([{ args: { idle: 0 } }])
  })
})
