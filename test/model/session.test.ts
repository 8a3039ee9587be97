import { expect, test } from 'vitest'
import { versionsOf } from '../../src/model/session.ts'
import { answers, fail, log, question, type Format } from '../support/log.ts'

const formats: readonly Format[] = [0, 2, 3, 4]
const db = question('db', 'Which database?', ['Postgres', 'SQLite'])

test.each(formats)('format %i: nested calls pair by their ids, whatever order they settle in', async (format) => {
  const l = log({ format }).user('Hi', (t) => t.program('', (p) => p
    .start('read', { path: 'a' }).start('ask_user_question', { questions: [db] }).start('read', { path: 'c' })
    .settle(3, 'C').wait(5000).settle(2, answers([db], { db: 'SQLite' })).settle(1, 'A')))
  const session = await l.session()
  const [call] = session.calls
  expect(call?.dispatches.map((d) => [d.name, d.receipt?.text.value])).toEqual([
    ['read', 'A'], ['ask_user_question', '{"answers":[{"id":"db","selected":["SQLite"]}]}'], ['read', 'C'],
  ])
  expect(call?.dispatches[1]).toMatchObject({ startSeq: l.seqs('dispatch/start')[1], receipt: { seq: l.seqs('dispatch/end')[1] } })
  expect(session.questions[0]).toMatchObject({ settledSeq: l.seqs('dispatch/end')[1], outcome: { kind: 'answered' } })
})

test.each(formats)('format %i: a copied prefix belongs to the parent', async (format) => {
  const parent = log({ format, goal: 'Ship it' }).round((r) => r.program('', (p) => p.ask([db], { db: 'SQLite' })))
  const session = await log({ format, seed: parent }).round((r) => r.says('Mine')).session()
  expect(session.inheritedBefore).toBe(parent.seq + 1)
  expect(session.turns.map((t) => t.inherited)).toEqual([true, false])
  expect(session.rounds.map((r) => r.inherited)).toEqual([true, false])
  expect(session.questions.map((q) => q.inherited)).toEqual([true])
})

test.each(formats)('format %i: the copied queue ends at the cut', async (format) => {
  const parent = log({ format }).user('Hi').queue({ kind: 'user' }, 'for the parent')
  const session = await log({ format, seed: parent }).queue({ kind: 'user' }, 'for the child').user('Go on').session()
  expect(session.inbox.map((m) => [m.text.value, m.fate])).toEqual([['Hi', 'claimed'], ['for the parent', 'left'], ['for the child', 'claimed'], ['Go on', 'claimed']])
})

test.each(formats)('format %i: a pruned result is another version of it, not a second outcome', async (format) => {
  const l = log({ format }).user('Hi', (t) => t.call('read', { path: 'a' }, 'the whole text'))
  const [whole = -1] = l.seqs('tool/result')
  l.user('On', (t) => { l.prune(whole, 'the …'); const pruned = l.seq; l.prune(pruned, 't…'); t.says('ok') })
  const session = await l.session()
  const [, first, second] = l.seqs('tool/result')
  expect(session.calls).toHaveLength(1)
  expect(session.calls[0]?.result).toMatchObject({ seq: whole, text: { value: 'the whole text' } })
  expect(session.calls.flatMap((c) => (c.result ? versionsOf(c.result) : []))).toMatchObject([
    { from: whole, to: first, hiddenBy: 'prune', text: { value: 'the whole text' } },
    { from: first, to: second, hiddenBy: 'prune', text: { value: 'the …' } },
    { from: second, to: null, hiddenBy: null, text: { value: 't…' } },
  ])
})

test.each(formats)('format %i: a compaction takes away what stands between its ends, and nothing else', async (format) => {
  const l = log({ format }).user('one', (t) => t.call('read', {}, 'A')).user('two', (t) => t.call('read', {}, 'B')).user('three', (t) => t.says('ok'))
  const [a = -1, b = -1] = l.seqs('tool/result')
  l.compact('One was done.', { to: a })
  const session = await l.session()
  const replacement = session.compactions[0]?.replacementSeq ?? -1
  expect(session.calls.map((c) => c.result)).toMatchObject([{ to: replacement, hiddenBy: 'compaction' }, { from: b, to: null, hiddenBy: null }])
  expect(session.messages.map((m) => [m.text.value.includes('One was done') ? 'summary' : m.text.value, m.visibility.to !== null])).toEqual([
    ['one', true], ['two', false], ['three', false], ['summary', false],
  ])
})

test('ids that a provider uses again do not mix up calls', async () => {
  const at = (turn: number, callId: string) => ({ turn, step: 1, callId, name: 'read', arguments: `{"turn":${turn}}` })
  const result = (turn: number, text: string) => ({ turn, step: 1, message: { id: `m-r${turn}`, role: 'tool', source: { kind: 'tool', callId: 'call_0' }, toolCallId: 'call_0', content: [{ type: 'text', text }], isError: false } })
  const session = await log()
    .user('one', (t) => t.bare((l) => l.row('tool/call', at(1, 'call_0')).row('tool/result', result(1, 'first'), { surfaceOp: 'append' })))
    .user('two', (t) => t.bare((l) => l.row('tool/call', at(2, 'call_0')).row('tool/result', result(2, 'second'), { surfaceOp: 'append' })))
    .session()
  expect(session.calls.map((c) => [c.arguments.value, c.result?.text.value])).toEqual([['{"turn":1}', 'first'], ['{"turn":2}', 'second']])
})

test('a queued message that is moved into the running turn is claimed once', async () => {
  const item = { id: 'm-x', role: 'user', content: [{ type: 'text', text: 'Now' }], source: { kind: 'user' } }
  const session = await log().user('Hi', (t) => t
    .says('Working')
    .row('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [item] })
    .row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [], outcome: 'canceled' })
    .row('agent/inbox/spliced', { target: 'next-step', start: 0, inserted: [item] })
    .row('agent/inbox/spliced', { target: 'next-step', start: 0, removedCount: 1, inserted: [] })
    .bare((l) => l.row('user/message', item, { surfaceOp: 'append' }))).session()
  expect(session.inbox.filter((m) => m.id === 'm-x').map((m) => m.fate)).toEqual(['canceled', 'claimed'])
  expect(session.messages.at(-1)).toMatchObject({ id: 'm-x', queuedSeq: session.inbox.find((m) => m.id === 'm-x')?.seq })
})

test('a round ends with its turn, and knows its calls, messages and goal changes', async () => {
  const session = await log({ goal: 'Ship it' })
    .round((r) => r.program('', (p) => p.dispatch('read', {}, 'A')).steers('Faster').says('ok'))
    .user('Hi')
    .round((r) => r.updateGoal('complete').says('Done'))
    .session()
  expect(session.rounds).toMatchObject([
    { round: 1, ended: true, calls: [{ name: 'run_code' }], messages: [{ text: { value: 'Faster' } }], goalChanges: [] },
    { round: 2, ended: true, goalChanges: [{ operation: 'complete' }] },
  ])
  expect(session.rounds[0]?.toSeq).toBe(session.turns[0]?.end?.seq)
})

test('the late answer of a timed question belongs to its call', async () => {
  const session = await log({ timedQuestions: true, tools: ['ask_user_question'] })
    .user('Hi', (t) => t.call('ask_user_question', { questions: [db], timeout: 120 }, { pending: true, callId: 'call-3', message: 'later' }).says('I go on.'))
    .session()
  const { callId } = session.calls[0] ?? { callId: '' }
  const l = log({ timedQuestions: true, tools: ['ask_user_question'] })
    .user('Hi', (t) => t.call('ask_user_question', { questions: [db], timeout: 120 }, { pending: true, callId, message: 'later' }).says('I go on.'))
    .queue({ kind: 'user-question-reply', callId, outcome: 'answered' }, JSON.stringify({ kind: 'answer_to_pending_question', callId, ...answers([db], { db: 'SQLite' }) }))
    .user('More', (t) => t.says('SQLite, then.'))
  expect((await l.session()).questions).toMatchObject([{ outcome: { kind: 'window-over' }, reply: { answers: [{ id: 'db', selected: ['SQLite'] }] } }])
})

test('an error keeps its identity where the format has one', async () => {
  const run = async (format: Format) => (await log({ format }).user('Hi', (t) => t.program('', (p) => p.ask([db], fail('the user cancelled', 'ASK_CANCELLED'), 10))).session()).questions[0]?.outcome
  expect(await run(4)).toMatchObject({ kind: 'failed', error: { code: 'ASK_CANCELLED' } })
  expect(await run(0)).toMatchObject({ kind: 'failed', error: null })
})

test('a closer that a resumed process wrote is no result of the tool', async () => {
  const session = await log().user('Hi', (t) => t.program('', (p) => p.start('ask_user_question', { questions: [db] }).open())).resume().user('On').session()
  expect(session.calls[0]?.result?.synthetic).toBe('interrupted')
  expect(session.questions[0]?.outcome).toEqual({ kind: 'open' })
})
