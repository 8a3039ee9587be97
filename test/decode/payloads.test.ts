import { describe, expect, it } from 'vitest'
import type { LogEvent } from '../../src/decode/event.ts'
import { decoded, headerRow, jsonl } from '../support/decoded.ts'

/** The event of one payload; fails when the row gives an issue. */
async function event(version: number, type: string, data: unknown, more: { readonly [key: string]: unknown } = {}): Promise<LogEvent | undefined> {
  const { events, issues } = await decoded(jsonl([headerRow(version), { type, seq: 0, time: 9, data, ...more }]))
  expect(issues).toEqual([])
  return events[0]
}
const append = { surfaceOp: 'append' }
const text = (value: string): unknown => ({ type: 'text', text: value })

describe('tool results', () => {
  const same = { type: 'tool/result', turn: 1, step: 2, callId: 'c', isError: true, text: 'a\nb', images: 1, error: { name: 'E', code: 'X' } }
  const content = [text('a'), { type: 'image', attachment: {} }, text('b')]
  const inStep = { turn: 1, step: 2, error: { name: 'E', code: 'X' } }

  it('are one thing in all three shapes', async () => {
    const wrapped = { id: 'm', role: 'user', source: { kind: 'tool', callId: 'c' }, content: [{ type: 'tool-result', toolCallId: 'c', content, isError: true }] }
    const flat = { id: 'm', role: 'tool', source: { kind: 'tool', callId: 'c' }, toolCallId: 'c', content, isError: true }
    expect(await event(0, 'tool/result', { ...inStep, message: wrapped }, append)).toMatchObject({ ...same, messageId: 'm' })
    expect(await event(4, 'tool/result', { ...inStep, message: flat }, append)).toMatchObject({ ...same, messageId: 'm' })
    expect(await event(0, 'tool/result', { ...inStep, callId: 'c', content, isError: true }, append)).toMatchObject({ ...same, messageId: null })
  })

  it('with two results, or none, do not fit', async () => {
    const block = { type: 'tool-result', toolCallId: 'c', content: [], isError: false }
    const row = (blocks: unknown): unknown => ({ type: 'tool/result', seq: 0, time: 1, data: { turn: 1, step: 1, message: { id: 'm', content: blocks } }, ...append })
    for (const blocks of [[block, block], []]) {
      const { events, issues } = await decoded(jsonl([headerRow(0), row(blocks)]))
      expect(events).toEqual([])
      expect(issues.map((issue) => [issue.code, issue.harness])).toEqual([['malformed-event', 'refuse']])
    }
  })
})

describe('receipts', () => {
  it('have one name and an error identity where the format has one', async () => {
    const data = { rootCallId: 'a', parentCallId: 'a', subCallId: 'a:code:1', name: 'read', arguments: { path: 'x' }, isError: true, content: [text('Error: no')] }
    const receipt = { type: 'dispatch/end', subCallId: 'a:code:1', arguments: { path: 'x' }, isError: true, text: 'Error: no' }
    expect(await event(0, 'tool/code-dispatch', data)).toMatchObject({ ...receipt, error: null })
    const error = { name: 'UserQuestionError', code: 'ASK_ABORTED', reason: 'r' }
    expect(await event(4, 'tool/ptc-dispatch', { ...data, error })).toMatchObject({ ...receipt, error })
  })
})

describe('message sources', () => {
  const source = async (version: number, value: unknown, type = 'user/message'): Promise<unknown> => {
    const message = { id: 'm', role: 'user', content: [], source: value }
    const read = await event(version, type, type === 'user/message' ? message : { turn: 1, step: 1, message }, append)
    return read && 'message' in read ? read.message.source : read
  }

  it.each([
    [{ kind: 'plugin', plugin: 'compact' }, 'compact-checkpoint'],
    [{ kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt', form: 'snapshot' }, 'runtime-context'],
    [{ kind: 'plugin', plugin: 'tools-code-mode' }, 'ptc-mode'],
    [{ kind: 'plugin', plugin: 'repeat-tool-reminder' }, 'repeat-tool-reminder'],
    [{ kind: 'plugin', plugin: 'acme' }, 'plugin:acme'],
    [{ kind: 'coordinator', senderSessionId: 's' }, 'agent-message'],
    [{ kind: 'subagent-report', senderSessionId: 's' }, 'agent-message'],
    [{ kind: 'user', rpcId: 'r' }, 'user'],
  ])('%j is %s', async (raw, kind) => {
    expect(await source(0, raw)).toMatchObject({ kind })
  })

  it('of the same plugin differ by what it wrote', async () => {
    expect(await source(3, { kind: 'plugin', plugin: '@deepseek-ai/dsh-system-prompt' }, 'system/message')).toEqual({ kind: 'system-prompt' })
  })

  it('keep what later rooms need, and nothing else', async () => {
    expect(await source(4, { kind: 'goal', goalId: 'g', revision: 2, round: 3, other: 1 })).toEqual({ kind: 'goal', goalId: 'g', revision: 2, round: 3 })
    expect(await source(4, { kind: 'user-question-reply', callId: 'c', outcome: 'answered' })).toEqual({ kind: 'user-question-reply', callId: 'c', outcome: 'answered' })
  })
})

describe('turn ends', () => {
  it.each([
    [{ kind: 'completed' }, { kind: 'completed' }],
    [{ kind: 'forked' }, { kind: 'forked' }],
    [{ kind: 'aborted', reason: { kind: 'hook', reason: 'stop' } }, { kind: 'aborted', cause: 'hook', detail: 'stop' }],
    [{ kind: 'aborted' }, { kind: 'aborted', cause: 'legacy' }],
    [{ kind: 'disposed' }, { kind: 'aborted', cause: 'disposed' }],
    [{ kind: 'error', error: { message: 'm', code: 'C', status: 400 } }, { kind: 'error', code: 'C', detail: 'C: m', status: 400 }],
    [{ kind: 'error', step: 1, failure: { message: 'm', code: 'C' } }, { kind: 'error', code: 'C', detail: 'C: m' }],
    [{ kind: 'error', step: 1, message: 'm' }, { kind: 'error', code: 'UNKNOWN', detail: 'UNKNOWN: m' }],
  ])('%j', async (reason, expected) => {
    expect(await event(0, 'turn/end', { turn: 1, reason })).toMatchObject({ reason: expected })
  })
})

describe('model replies', () => {
  it('keep text, calls and billed tokens, and only the length of reasoning', async () => {
    const content = [{ type: 'reasoning', text: 'hmm' }, text('a'), { type: 'tool-call', id: 'c', name: 'read', arguments: '{' }, { type: 'acme', x: 1 }, text('b')]
    const data = { turn: 1, step: 1, message: { id: 'm', role: 'assistant', content, source: { kind: 'model', provider: 'p', model: 'm' } }, usage: { inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 4, outputTokens: 8 }, stream: [{ type: 'chunk' }] }
    expect(await event(3, 'assistant/message', data, append)).toMatchObject({
      message: { text: 'a\nb', images: 0 }, reasoningChars: 3, toolCalls: [{ id: 'c', name: 'read', arguments: '{' }], usage: { inputTokens: 7, outputTokens: 8 }, interrupted: false,
    })
  })

  it('of the oldest logs have no message of their own', async () => {
    expect(await event(0, 'assistant/message', { turn: 1, step: 1, content: [text('x')], provenance: { provider: 'p', model: 'm' } }, append)).toMatchObject({ message: { id: null, text: 'x' } })
  })
})

describe('request headers', () => {
  it('tell tools, prompt and whether questions are timed', async () => {
    const ask = (properties: unknown): unknown => ({ name: 'ask_user_question', description: '', parameters: { type: 'object', properties } })
    const header = (tools: unknown): unknown => ({ header: { config: { provider: 'p', model: 'm' }, system: 's', tools }, reason: 'initial' })
    expect(await event(0, 'request/header', header([ask({ questions: {} })]))).toMatchObject({ tools: ['ask_user_question'], system: 's', timedQuestions: false })
    expect(await event(4, 'request/header', header([ask({ questions: {}, timeout: {} })]))).toMatchObject({ timedQuestions: true })
    expect(await event(0, 'request/header', header('{{tools}}'))).toMatchObject({ tools: null })
  })
})

describe('goal changes', () => {
  it('name the goal, cleared or not', async () => {
    const goal = { id: 'g', revision: 2, objective: 'o', phase: 'blocked', maxGoalRounds: 9, blockedReason: { code: 'c', message: 'm' } }
    expect(await event(0, 'goal/change', { kind: 'goal/change', version: 1, operation: 'block', goal, roundsStarted: 3 })).toMatchObject({ goalId: 'g', revision: 2, goal, roundsStarted: 3 })
    expect(await event(0, 'goal/change', { operation: 'clear', cleared: { id: 'g', revision: 3 } })).toMatchObject({ operation: 'clear', goalId: 'g', revision: 3, goal: null })
  })
})

describe('retired names', () => {
  it('are read as what replaced them', async () => {
    expect(await event(0, 'steering/message', { content: [text('x')], source: { kind: 'user' } }, append)).toMatchObject({ type: 'user/message', message: { id: null, text: 'x' } })
    expect(await event(0, 'compact/end', { turn: null })).toMatchObject({ type: 'compaction/end', turn: null, error: null })
  })
})
