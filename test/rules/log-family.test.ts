import { expect, test } from 'vitest'
import type { Rule } from '../../src/rules/define.ts'
import { brokenSequence } from '../../src/rules/broken-sequence.ts'
import { invariantViolation } from '../../src/rules/invariant-violation.ts'
import { mixedGenerations } from '../../src/rules/mixed-generations.ts'
import { tornLog } from '../../src/rules/torn-log.ts'
import { undeliveredMessage } from '../../src/rules/undelivered-message.ts'
import { unknownEvent } from '../../src/rules/unknown-event.ts'
import { unpairedCall } from '../../src/rules/unpaired-call.ts'
import { unsettledDispatch } from '../../src/rules/unsettled-dispatch.ts'
import { createFacts } from '../../src/facts/index.ts'
import type { Session } from '../../src/model/session.ts'
import { createProgramAnalyser } from '../../src/programs/index.ts'
import { log, readSession, type Log } from '../support/log.ts'
import { findings, type Found } from '../support/rules.ts'

const all: readonly Rule[] = [tornLog, brokenSequence, unpairedCall, unsettledDispatch, unknownEvent, undeliveredMessage, mixedGenerations, invariantViolation]

async function judged(session: Session): Promise<(Found & { readonly rule: string })[]> {
  const found: (Found & { readonly rule: string })[] = []
  for (const rule of all) {
    await rule.run(session, createFacts(session, createProgramAnalyser({ replay: false })), { finding: (f) => found.push({ ...f, rule: rule.id }), notEvaluated: () => undefined })
  }
  return found
}

const brief = async (l: Log) => (await judged(await l.session())).map(({ rule, severity }) => `${rule}: ${severity}`)
const healthy = () => log({ goal: 'Ship it' }).round((r) => r.program('', (p) => p.dispatch('read', {}, 'A')).steers('Faster').says('ok')).user('Hi')

test('a whole log has no trouble', async () => {
  expect(await brief(healthy())).toEqual([])
})

test('a log that stops inside a turn, or was killed and resumed, has none either', async () => {
  const killed = log().user('Hi', (t) => t.program('', (p) => p.start('read', {}).open()))
  expect(await brief(killed)).toEqual([])
  expect(await brief(killed.resume().user('Go on'))).toEqual([])
})

test('a torn tail is a note at the end of what was read', async () => {
  const l = healthy()
  const found = await judged(await readSession(Buffer.from(l.toText().slice(0, -20))))
  expect(found).toMatchObject([{ rule: 'torn-log', severity: 'info', at: { seq: l.seq - 1 } }])
})

test('a missing row before a finished turn is an error, told where it is missing', async () => {
  const l = log().user('Hi')
  const due = l.seq + 1
  l.skipSeqs(2).user('On')
  expect(await findings(brokenSequence, l)).toMatchObject([{ severity: 'error', at: { seq: due + 2 }, args: { code: 'sequence-gap', count: 1 } }])
})

test('unreadable lines of a kind are one finding at the first of them', async () => {
  const l = log().user('Hi')
  const { seq } = l
  l.raw('not json').raw('{"half":').user('On').raw('nor this')
  const found = await findings(brokenSequence, l)
  expect(found).toMatchObject([{ args: { code: 'unparsable-line', count: 3 }, severity: 'error' }])
  expect(found[0]?.at.seq).toBeLessThanOrEqual(seq)
  expect(found[0]?.at.line).toBe(l.rows.findIndex((row) => row['seq'] === seq) + 2)
})

test('hundreds of the same trouble are counted, not listed', async () => {
  const l = log()
  for (let i = 0; i < 300; i += 1) l.row('todo/write', { todos: [] })
  expect(await findings(invariantViolation, l)).toMatchObject([{ args: { code: 'outside-turn', count: 300 }, severity: 'warning', at: { seq: 0, line: 2 } }])
})

test('what the harness refuses is an error, what only optional checks see a warning', async () => {
  const wrong = (format: 3 | 4) => log({ format }).row('turn/start', { turn: 2 })
  expect(await brief(wrong(3))).toEqual(['invariant-violation: warning'])
  expect(await brief(wrong(4))).toEqual(['invariant-violation: error'])
})

test('a clock that goes back is a note', async () => {
  expect(await brief(healthy().wait(-60_000).user('On'))).toEqual(['invariant-violation: info'])
})

test('calls and nested calls have rules of their own', async () => {
  const l = log({ format: 3 }).user('Hi', (t) => t.bare((w, at) => w
    .row('tool/call', { ...at, callId: 'c', name: 'run_code', arguments: '{}' })
    .row('tool/ptc-dispatch', { rootCallId: 'c', parentCallId: 'c', subCallId: 'c:ptc:1', name: 'read', arguments: {}, isError: false, content: [] })))
  expect(await brief(l)).toEqual(['unpaired-call: warning', 'unsettled-dispatch: warning'])
})

test('an unknown event is a warning, one that may be ignored a note', async () => {
  expect(await brief(healthy().row('my-plugin/thing', {}))).toEqual(['unknown-event: warning'])
  expect(await brief(healthy().row('my-plugin/thing', {}, { ignorable: true }))).toEqual(['unknown-event: info'])
})

test('an older generation beside the log is a note', async () => {
  const session = await healthy().session()
  const issue = { code: 'older-generation', file: 'session.jsonl', line: null, offset: null, seq: null, text: 'session.jsonl is an older log of this session.', harness: 'not-read' } as const
  expect(await judged({ ...session, issues: [issue] })).toMatchObject([{ rule: 'mixed-generations', severity: 'info', at: { seq: session.lastSeq } }])
})

test('a message of the human that still waits when the log ends is a warning', async () => {
  const l = healthy().queue({ kind: 'user' }, 'Use SQLite')
  expect(await findings(undeliveredMessage, l)).toMatchObject([{ severity: 'warning', certainty: 'likely', at: { seq: l.seq }, args: { human: true, fate: 'left', count: 1 } }])
})

test('a notice that waits is a note, a goal round that waits is nothing', async () => {
  expect(await brief(healthy().queue({ kind: 'tool-jobs', form: 'notice' }, 'Job 1 ended'))).toEqual(['undelivered-message: info'])
  expect(await brief(healthy().queue({ kind: 'goal', goalId: 'goal-g-1', revision: 1, round: 9 }, 'round', 'next-turn'))).toEqual([])
})

test('what waits while a turn runs may still arrive', async () => {
  expect(await brief(log().user('Hi', (t) => t.says('Working').steers('Faster').crashes()))).toEqual([])
})

test('a message that a failed step swallowed is lost; one the human or a hook stopped is a note', async () => {
  const swallowed = (reason: object) => log({ format: 3 }).user('Hi', (t) => t
    .says('Working').steers('Use SQLite')
    .row('agent/inbox/spliced', { target: 'next-step', start: 0, removedCount: 1, inserted: [] })
    .ends({ ...reason }))
  expect(await findings(undeliveredMessage, swallowed({ kind: 'error', error: { message: 'x', code: 'SERVER' } }))).toMatchObject([{ severity: 'warning', certainty: 'proven', args: { fate: 'lost', ended: 'error' } }])
  expect(await findings(undeliveredMessage, swallowed({ kind: 'blocked' }))).toMatchObject([{ severity: 'info' }])
  expect(await findings(undeliveredMessage, swallowed({ kind: 'aborted', reason: { kind: 'user' } }))).toMatchObject([{ severity: 'info' }])
})

test('a message that was withdrawn, edited or moved is not lost', async () => {
  const item = (id: string) => ({ id, role: 'user', content: [], source: { kind: 'user' } })
  const l = healthy()
    .row('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [item('a')] })
    .row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [item('b')], outcome: 'canceled' })
    .row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [], outcome: 'canceled' })
  expect(await brief(l)).toEqual([])
})

test('a queue that was copied from the parent is the parent\'s affair', async () => {
  const parent = healthy().queue({ kind: 'user' }, 'for the parent')
  expect(await brief(log({ seed: parent }).user('Go on'))).toEqual([])
})

test('the first prompt of a subagent is not a human\'s', async () => {
  const l = log({ header: { origin: 'subagent', parentSession: 'p', delegationDepth: 1 } }).user('Hi').queue({ kind: 'user' }, 'More')
  expect(await brief(l)).toEqual(['undelivered-message: info'])
})

test('a capture of live events may begin anywhere', async () => {
  const session = await log().skipSeqs(40).user('Hi').session()
  const note = { code: 'live-capture', file: 'capture.jsonl', line: null, offset: null, seq: null, text: 'This is a capture.', harness: 'accept' } as const
  expect((await judged({ ...session, issues: [note, ...session.issues] })).map(({ rule, severity }) => `${rule}: ${severity}`)).toEqual(['broken-sequence: info'])
})
