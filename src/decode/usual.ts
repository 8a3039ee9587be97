/**
 * The payloads that make up most of a log, in their usual shape, read without a schema (a tenth of the time).
 * Null: not that shape, right or wrong; then the schemas in `payloads.ts` decide. What is read here they read alike.
 */
import type { EventOf, LogEvent, Message, MessageSource, Usage } from './event.ts'
import type { Head, SurfacePlace } from './payloads.ts'
import { isCount, isRecord, isShallow, isUsualContent, kindOf, reasoningChars, resultIn, textOf, toolCallsIn, type Content } from './schema.ts'

type Data = Readonly<Record<string, unknown>>
type Usual = (data: Data, head: Head, place: SurfacePlace) => LogEvent | null

export function usualEvent(type: string, data: unknown, head: Head, place: SurfacePlace): LogEvent | null {
  const read = USUAL.get(type)
  return read && isRecord(data) && head.ignorable === undefined ? read(data, head, place) : null
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)
const isOptionalString = (value: unknown): value is string | undefined => value === undefined || typeof value === 'string'

const inStepMark = (type: 'step/start' | 'step/end'): Usual => ({ turn, step }, { seq, time, line, bytes }) =>
  isCount(turn) && isCount(step) ? { type, turn, step, seq, time, line, bytes } : null

type DispatchIds = Readonly<Record<'rootCallId' | 'parentCallId' | 'subCallId' | 'name', string>>

function isDispatch(data: Data): data is Data & DispatchIds {
  return typeof data['rootCallId'] === 'string' && typeof data['parentCallId'] === 'string' && typeof data['subCallId'] === 'string' && typeof data['name'] === 'string'
    && data['arguments'] !== undefined && isShallow(data['arguments'])
}

const dispatchStart: Usual = (data, { seq, time, line, bytes }) => {
  if (!isDispatch(data)) return null
  const { rootCallId, parentCallId, subCallId, name, arguments: args } = data
  return { type: 'dispatch/start', rootCallId, parentCallId, subCallId, name, arguments: args, seq, time, line, bytes }
}

const dispatchEnd: Usual = (data, { seq, time, line, bytes }) => {
  if (!isDispatch(data)) return null
  const { rootCallId, parentCallId, subCallId, name, arguments: args, isError, content } = data
  if (typeof isError !== 'boolean' || data['error'] !== undefined || !isUsualContent(content)) return null
  return { type: 'dispatch/end', rootCallId, parentCallId, subCallId, name, arguments: args, isError, text: textOf(content), images: 0, error: null, seq, time, line, bytes }
}

/** Reasons that are more than their kind. */
const RETOLD: ReadonlySet<string> = new Set(['aborted', 'disposed', 'error'])

const USUAL: ReadonlyMap<string, Usual> = new Map<string, Usual>([
  ['turn/start', ({ turn }, { seq, time, line, bytes }) => (isCount(turn) ? { type: 'turn/start', turn, seq, time, line, bytes } : null)],
  ['turn/end', ({ turn, reason }, { seq, time, line, bytes }) => {
    const kind = isRecord(reason) && Object.keys(reason).length === 1 ? reason['kind'] : undefined
    return isCount(turn) && typeof kind === 'string' && !RETOLD.has(kind) ? { type: 'turn/end', turn, reason: { kind }, seq, time, line, bytes } : null
  }],
  ['step/start', inStepMark('step/start')],
  ['step/end', inStepMark('step/end')],
  ['user/message', (data, { seq, time, line, bytes }, { surfaceOp, sourceEventSeqs }) => {
    const message = messageIn(data)
    return message && { type: 'user/message', message, surfaceOp, sourceEventSeqs, seq, time, line, bytes }
  }],
  ['assistant/message', ({ turn, step, message, content, usage, interrupted }, { seq, time, line, bytes }, { surfaceOp, sourceEventSeqs }) => {
    const blocks = contentIn(message)
    const body = blocks && messageIn(message, blocks)
    const used = usage === undefined ? null : usageIn(usage)
    if (!isCount(turn) || !isCount(step) || !body || used === false || content !== undefined || (interrupted !== undefined && typeof interrupted !== 'boolean')) return null
    return { type: 'assistant/message', turn, step, message: body, reasoningChars: reasoningChars(blocks), toolCalls: toolCallsIn(blocks), usage: used, interrupted: interrupted ?? false, surfaceOp, sourceEventSeqs, seq, time, line, bytes }
  }],
  ['tool/call', (data, { seq, time, line, bytes }) => {
    const { turn, step, callId, name, arguments: args } = data
    return isCount(turn) && isCount(step) && typeof callId === 'string' && typeof name === 'string' && typeof args === 'string'
      ? { type: 'tool/call', turn, step, callId, name, arguments: args, seq, time, line, bytes } : null
  }],
  ['tool/result', toolResult],
  ['tool/code-dispatch-start', dispatchStart],
  ['tool/ptc-dispatch-start', dispatchStart],
  ['tool/code-dispatch', dispatchEnd],
  ['tool/ptc-dispatch', dispatchEnd],
  ['agent/inbox/spliced', ({ target, start, removedCount, inserted, outcome }, { seq, time, line, bytes }) => {
    if (typeof target !== 'string' || !isCount(start) || !(removedCount === undefined || isCount(removedCount)) || !isOptionalString(outcome) || !Array.isArray(inserted)) return null
    const messages: Message[] = []
    for (const value of inserted) {
      const message = messageIn(value)
      if (!message) return null
      messages.push(message)
    }
    return { type: 'agent/inbox/spliced', target, start, removedCount: removedCount ?? 0, inserted: messages, outcome: outcome ?? null, seq, time, line, bytes }
  }],
])

/** v4 carries the result on the message, earlier formats in its only block. */
function toolResult({ turn, step, message, callId: ownId, content: ownContent, isError: ownError, error }: Data, { seq, time, line, bytes }: Head, { surfaceOp, sourceEventSeqs }: SurfacePlace): EventOf<'tool/result'> | null {
  if (!isCount(turn) || !isCount(step) || !isRecord(message) || error !== undefined || ownId !== undefined || ownContent !== undefined || ownError !== undefined) return null
  const { id, toolCallId, content, isError } = message
  if (!isOptionalString(id) || !isUsualContent(content)) return null
  const flat = typeof toolCallId === 'string'
  const block = flat ? undefined : resultIn(content)
  const callId = flat ? toolCallId : block?.toolCallId
  const failed = flat ? isError : block?.isError
  if (callId === undefined || (!flat && (toolCallId !== undefined || isError !== undefined)) || (failed !== undefined && typeof failed !== 'boolean')) return null
  return { type: 'tool/result', turn, step, callId, messageId: id ?? null, isError: failed ?? false, text: textOf(block?.content ?? content), images: 0, error: null, surfaceOp, sourceEventSeqs, seq, time, line, bytes }
}

function messageIn(value: unknown, content = contentIn(value)): Message | null {
  if (!isRecord(value) || !content) return null
  const { id, role } = value
  if (!isOptionalString(id) || id === '' || !isOptionalString(role)) return null
  const source = sourceIn(value['source'])
  return source && { id: id ?? null, source, text: textOf(content), images: 0 }
}

function contentIn(message: unknown): Content | null {
  return isRecord(message) && isUsualContent(message['content']) ? message['content'] : null
}

const TEXTS = ['goalId', 'form', 'summary', 'callId', 'outcome', 'senderSessionId'] as const
const COUNTS = ['revision', 'round'] as const

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function sourceIn(value: unknown): MessageSource | null {
  if (!isRecord(value)) return null
  const { kind } = value
  if (typeof kind !== 'string' || kind === '' || value['plugin'] !== undefined) return null
  const source: Writable<MessageSource> = { kind: kindOf(kind) }
  for (const key of TEXTS) {
    const text = value[key]
    if (text === undefined) continue
    if (typeof text !== 'string') return null
    source[key] = text
  }
  for (const key of COUNTS) {
    const number = value[key]
    if (number === undefined) continue
    if (!isCount(number)) return null
    source[key] = number
  }
  return source
}

/** False: no usage. */
function usageIn(value: unknown): Usage | false {
  if (!isRecord(value)) return false
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = value
  if (!isNumber(inputTokens) || !isNumber(outputTokens) || !isNumber(cacheReadTokens) || !isNumber(cacheWriteTokens)) return false
  return { inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens, outputTokens }
}
