import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fail, log, readSession, type Format, type Log } from '../support/log.ts'
import { runScript, writeRun } from '../support/script.ts'

const formats: readonly Format[] = [0, 2, 3, 4]

async function issues(l: Log): Promise<string[]> {
  return (await l.session()).issues.map(({ code, harness }) => `${code}: ${harness}`)
}

test.each(formats)('no legal run of format %i breaks anything', async (format) => {
  await fc.assert(fc.asyncProperty(runScript, async (script) => {
    expect(await issues(writeRun(script, { format }))).toEqual([])
  }), { numRuns: 60 })
})

test.each(formats)('a fork of format %i breaks nothing, and does not inherit the queue', async (format) => {
  const parent = log({ format, goal: 'Ship it' }).round((r) => r.says('One')).queue({ kind: 'user' }, 'left in the queue')
  expect(await issues(log({ format, seed: parent }).queue({ kind: 'user' }, 'mine').user('Go on', (t) => t.says('Yes')))).toEqual([])
})

test('a v4 fork inside a turn closes what it copied open', async () => {
  const parent = log({ format: 4 }).user('Hi', (t) => t.program('await tools.bash({})', (p) => p.start('bash', {}).open()))
  const callSeq = parent.seqs('tool/call')[0] ?? -1
  const callId = (await parent.session()).calls[0]?.callId ?? ''
  const fork = log({ format: 4, seed: parent })
    .row('tool/result', {
      turn: 1, step: 1, error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
      message: { id: `forked-tool-result-${callId}-9`, role: 'tool', source: { kind: 'tool', callId }, toolCallId: callId, content: [], isError: true },
    }, { surfaceOp: 'append', sourceEventSeqs: [callSeq] })
    .row('step/end', { turn: 1, step: 1 })
    .row('turn/end', { turn: 1, reason: { kind: 'forked' } })
    .user('Go on', (t) => t.says('Yes'))
  expect(await issues(fork)).toEqual([])
})

test('a log that stops anywhere breaks nothing', async () => {
  const text = log({ format: 4, goal: 'Ship it' })
    .round((r) => r.program('', (p) => p.start('read', {}).start('read', {}).settle(2).settle(1).approval('bash', 'allowed-once')).retries(2).says('Done'))
    .compact('All of it').toText()
  const rows = text.split('\n').slice(0, -1)
  for (let n = 1; n <= rows.length; n += 1) {
    expect((await readSession(Buffer.from(`${rows.slice(0, n).join('\n')}\n`))).issues, `the first ${n} rows`).toEqual([])
  }
})

test('nothing is checked after a missing row', async () => {
  expect(await issues(log().user('Hi').skipSeqs(3).row('turn/end', { turn: 7, reason: { kind: 'completed' } }))).toEqual(['sequence-gap: refuse'])
})

const call = { callId: 'c', name: 'run_code', arguments: '{}' }
const dispatch = { rootCallId: 'c', parentCallId: 'c', subCallId: 'c:ptc:1', name: 'read', arguments: {} }
const settled = { ...dispatch, isError: false, content: [] }
const goal = { id: 'goal-x', revision: 1, objective: 'Ship it', phase: 'active', maxGoalRounds: 3 }
const change = { kind: 'goal/change', version: 1, operation: 'create', goal, roundsStarted: 0, createdAt: 1, updatedAt: 1 }
const result = (callId: string, sources: readonly number[] = [], code?: string) => [
  { message: { id: 'm-x', role: 'tool', source: { kind: 'tool', callId }, toolCallId: callId, content: [], isError: code !== undefined }, ...(code !== undefined && { error: { name: 'E', code } }) },
  { surfaceOp: 'append', ...(sources.length > 0 && { sourceEventSeqs: sources }) },
] as const

/** In a step of its own, while the body runs; the step before it made no call. */
const inStep = (body: (l: Log, at: { turn: number; step: number }) => unknown) => (l: Log) => l.user('Hi', (t) => t.bare(body))
/** While a call is open; it gets its result afterwards. */
const inCall = (body: (l: Log) => unknown) => inStep((l, at) => {
  l.row('tool/call', { ...at, ...call })
  const { seq } = l
  body(l)
  const [data, more] = result('c', [seq])
  l.row('tool/result', { ...at, ...data }, more)
})

const breaks: readonly [what: string, code: string, script: (l: Log) => unknown][] = [
  ['the first turn is not turn 1', 'turn-order', (l) => l.row('turn/start', { turn: 2 }).row('turn/end', { turn: 2, reason: { kind: 'completed' } })],
  ['a turn starts in a turn', 'turn-order', (l) => l.row('turn/start', { turn: 1 }).row('turn/start', { turn: 2 })],
  ['a turn ends inside a step', 'turn-order', (l) => l.row('turn/start', { turn: 1 }).row('step/start', { turn: 1, step: 1 }).row('turn/end', { turn: 1, reason: { kind: 'completed' } })],
  ['a step is skipped', 'step-order', (l) => l.row('turn/start', { turn: 1 }).row('step/start', { turn: 1, step: 2 })],
  ['a reply names another step', 'outside-step', inStep((l, at) => l.assistant(at.turn, at.step + 1, []))],
  ['a todo list is written outside a turn', 'outside-turn', (l) => l.row('todo/write', { todos: [] })],
  ['a call never gets a result', 'call-without-result', inStep((l, at) => l.row('tool/call', { ...at, ...call }))],
  ['a result has no call', 'result-without-call', inStep((l, at) => l.row('tool/result', { ...at, ...result('c')[0] }, result('c')[1]))],
  ['a call has two results', 'result-without-call', inStep((l, at) => { inner(l, at); l.row('tool/result', { ...at, ...result('c')[0] }, result('c')[1]) })],
  ['a result cites another row', 'result-sources', inStep((l, at) => l.row('tool/call', { ...at, ...call }).row('tool/result', { ...at, ...result('c')[0] }, { surfaceOp: 'append', sourceEventSeqs: [1] }))],
  ['a tool-call block is never called', 'block-without-call', inStep((l, at) => l.assistant(at.turn, at.step, [{ type: 'tool-call', id: 'z', name: 'read', arguments: '{}' }]))],
  ['a nested call never settles', 'dispatch-without-settle', inCall((l) => l.row('tool/ptc-dispatch-start', dispatch))],
  ['a nested call settles twice', 'settle-without-start', inCall((l) => l.row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch', settled).row('tool/ptc-dispatch', settled))],
  ['a nested call settles with other arguments', 'settle-without-start', inCall((l) => l.row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch', { ...settled, arguments: { other: 1 } }))],
  ['a nested call belongs to no running call', 'dispatch-parent', inStep((l) => l.row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch', settled))],
  ['a nested call names a parent that was never made', 'dispatch-parent', inCall((l) => l.row('tool/ptc-dispatch-start', { ...dispatch, parentCallId: 'c:ptc:9' }).row('tool/ptc-dispatch', { ...settled, parentCallId: 'c:ptc:9' }))],
  ['a sub call number comes twice', 'sub-call-order', inCall((l) => l.row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch', settled).row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch', settled))],
  ['more is taken from the inbox than is there', 'inbox-fold', (l) => l.row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] })],
  ['a message is queued twice', 'inbox-fold', (l) => { for (const target of ['next-turn', 'next-step']) l.row('agent/inbox/spliced', { target, start: 0, inserted: [{ id: 'm-x', role: 'user', content: [], source: { kind: 'user' } }] }) }],
  ['a goal is created while one is active', 'goal-fold', (l) => l.goal('One').row('goal/change', change)],
  ['a revision is skipped', 'goal-fold', (l) => l.row('goal/change', change).row('goal/change', { ...change, operation: 'pause', goal: { ...goal, revision: 3, phase: 'paused' } })],
  ['a blocked goal is paused', 'goal-fold', (l) => l.goal('One').goalChange('block').goalChange('pause')],
  ['a round comes for a paused goal', 'goal-fold', (l) => l.goal('One').goalChange('pause').round((r) => r.says('Hm'))],
  ['a round comes beyond the cap', 'goal-fold', (l) => l.goal('One', 1).round().round()],
  ['a replacement names rows that are not there', 'surface-range', inStep((l) => l.row('user/message', { id: 'm-x', role: 'user', content: [], source: { kind: 'user' } }, { surfaceOp: { op: 'replace', startSeq: 1, endSeq: 2 }, sourceEventSeqs: [1, 2] }))],
  ['a compaction ends well without a summary', 'compaction-order', (l) => l.row('compaction/start', { compactionId: 'x', turn: null }).row('compaction/end', { compactionId: 'x', turn: null })],
  ['no replacement follows a prune', 'compaction-order', inStep((l) => l.row('compaction/prune', { shadowedRange: { start: 1, end: 1 }, shadowedSeqs: [1], shadowedTokenCount: 1 }))],
  ['an approval is decided that nobody asked for', 'approval-pair', inStep((l) => l.row('approval/decided', { id: 'x', outcome: 'rejected' }))],
  ['an approval is never decided', 'approval-pair', inStep((l) => l.row('approval/asked', { id: 'x', toolName: 'bash' }))],
  ['a command is done that never ran', 'command-pair', (l) => l.row('command/done', { commandId: 'x', kind: 'success' })],
  ['a retry is skipped', 'retry-order', inStep((l, at) => l.row('llm/retry', { ...at, retryId: 'x', provider: 'p', mode: 'normal', policyKey: 'p', retry: 2, maxRetries: 3, delayMs: 1, failure: { message: 'm', code: 'SERVER' } }))],
  ['the clock goes back', 'time-backwards', (l) => l.user('Hi', (t) => t.says('one')).wait(-60_000).user('Hi', (t) => t.says('two'))],
]

function inner(l: Log, at: { turn: number; step: number }): void {
  l.row('tool/call', { ...at, ...call })
  const [data, more] = result('c', [l.seq])
  l.row('tool/result', { ...at, ...data }, more)
}

test.each(breaks)('%s: %s', async (_, code, script) => {
  const l = log({ format: 4 })
  script(l)
  const found = (await l.session()).issues
  expect(new Set(found.map((i) => i.code))).toEqual(new Set([code]))
})

test.each([[0, 'accept'], [2, 'accept'], [3, 'accept'], [4, 'refuse']] as const)('format %i: the harness would %s a turn out of order', async (format, harness) => {
  expect(await issues(log({ format }).row('turn/start', { turn: 2 }))).toEqual([`turn-order: ${harness}`])
})

test('a reply of v0 names the chunks of its last attempt', async () => {
  const l = log({ format: 0 }).user('Hi', (t) => t.bare((w, at) => w.row('assistant/chunk', { ...at, chunk: { type: 'text-delta', index: 0, text: 'a' } })
    .row('assistant/message', { ...at, message: { id: 'm-x', role: 'assistant', content: [], source: { kind: 'model', provider: 'p', model: 'm' } } }, { surfaceOp: 'append', sourceEventSeqs: [0] })))
  expect(await issues(l)).toEqual(['stream-sources: accept'])
})

test.each([
  ['the scheduler failed', (l: Log) => l.user('Hi', (t) => t.bare((w, at) => w.row('tool/call', { ...at, ...call })).ends({ kind: 'error', error: { message: 'x', code: 'UNKNOWN' } }))],
  ['a call was never started', inStep((l, at) => l.row('tool/result', { ...at, ...result('c', [], 'TOOL_NOT_STARTED')[0] }, result('c')[1]))],
  ['sub call numbers have gaps', inCall((l) => l.row('tool/ptc-dispatch-start', { ...dispatch, subCallId: 'c:ptc:4' }).row('tool/ptc-dispatch', { ...settled, subCallId: 'c:ptc:4' }))],
  ['a nested call has a nested call', inCall((l) => {
    const nested = { ...dispatch, parentCallId: 'c:ptc:1', subCallId: 'c:ptc:1:ptc:1' }
    l.row('tool/ptc-dispatch-start', dispatch).row('tool/ptc-dispatch-start', nested).row('tool/ptc-dispatch', { ...settled, ...nested }).row('tool/ptc-dispatch', settled)
  })],
  ['a call id is used again in a later step', (l: Log) => l.user('Hi', (t) => t.bare(inner).bare(inner))],
  ['a queued message is moved to the running turn', (l: Log) => {
    const item = { id: 'm-x', role: 'user', content: [], source: { kind: 'user' } }
    l.row('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [item] })
      .row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [], outcome: 'canceled' })
      .row('agent/inbox/spliced', { target: 'next-step', start: 0, inserted: [item] })
  }],
  ['a goal is created after a completed one', (l: Log) => l.goal('One').goalChange('complete').goal('Two')],
  ['the process died during a compaction', (l: Log) => l.row('compaction/start', { compactionId: 'x', turn: null }).resume().row('compaction/start', { compactionId: 'y', turn: null })],
  ['times jitter', (l: Log) => l.wait(-900).row('feedback/record', { text: 'x' })],
  ['a plain error fails a call', (l: Log) => l.user('Hi', (t) => t.call('bash', {}, fail('no')))],
])('legal: %s', async (_, script) => {
  const l = log({ format: 4 })
  script(l)
  expect(await issues(l)).toEqual([])
})
