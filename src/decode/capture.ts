/**
 * Live events that someone recorded from the outside: JSON-RPC notifications of the SDK server (`session.event`) or the
 * stream-json driver's lines (`session_event`). They hold events of several sessions, no header, and may begin late.
 */
import { z } from 'zod'
import { LineSplitter } from './lines.ts'

const liveEvent = z.looseObject({ type: z.string(), seq: z.int().optional(), time: z.int().optional(), data: z.unknown() })
const inSession = z.object({ sessionId: z.string().min(1), event: liveEvent })
const notification = z.object({ jsonrpc: z.literal('2.0'), method: z.literal('session.event'), params: inSession }).transform(({ params }) => params)
const streamed = inSession.extend({ type: z.literal('session_event') })
const captured = z.union([notification, streamed])
const anyLine = z.union([z.object({ jsonrpc: z.literal('2.0') }), streamed])

/** A session of a capture, with what its header can say. */
export interface CapturedSession {
  readonly id: string
  /** The oldest log format whose events look like these. */
  readonly version: number
  readonly createdAt: number
  readonly firstSeq: number
}

/** Whether the first line of a file belongs to a capture: other JSON-RPC traffic may stand before the first event. */
export function isCapture(firstLine: string): boolean {
  return anyLine.safeParse(parse(firstLine)).success
}

/** Sessions in the order of their first events. `text` is the decoded text of the capture. */
export async function capturedSessions(text: AsyncIterable<Uint8Array>, limit: number): Promise<CapturedSession[]> {
  const sessions = new Map<string, CapturedSession>()
  const splitter = eventSplitter(limit, ({ sessionId, event }) => {
    const seen = sessions.get(sessionId)
    const version = Math.max(seen?.version ?? 0, formatOf(event))
    sessions.set(sessionId, seen ? { ...seen, version } : { id: sessionId, version, createdAt: event.time ?? 0, firstSeq: event.seq ?? 0 })
  })
  for await (const chunk of text) splitter.push(chunk)
  return [...sessions.values()]
}

/** One session of a capture as the text of a log, under a header made up from its events. */
export async function* captureLog(text: AsyncIterable<Uint8Array>, session: CapturedSession, limit: number): AsyncGenerator<Uint8Array> {
  const { id, version, createdAt, firstSeq } = session
  let rows = `${JSON.stringify({ type: 'session', version, id, createdAt, delegationDepth: 0, ...(version >= 2 ? { isSeeded: false } : {}), capturedFrom: firstSeq })}\n`
  const splitter = eventSplitter(limit, ({ sessionId, event }) => {
    if (sessionId === id) rows += `${JSON.stringify(event)}\n`
  })
  for await (const chunk of text) {
    splitter.push(chunk)
    if (rows !== '') yield Buffer.from(rows)
    rows = ''
  }
  if (rows !== '') yield Buffer.from(rows)
}

function eventSplitter(limit: number, onEvent: (event: z.output<typeof captured>) => void): LineSplitter {
  return new LineSplitter(
    limit,
    (bytes, start, end) => {
      const event = captured.safeParse(parse(bytes.toString('utf8', start, end)))
      if (event.success) onEvent(event.data)
    },
    () => {},
  )
}

const resultMessage = z.object({ message: z.object({ role: z.literal('tool') }) })
const withStream = z.object({ stream: z.array(z.unknown()) })

function formatOf({ type, data }: z.output<typeof liveEvent>): number {
  if (type === 'developer/message' || (type === 'tool/result' && resultMessage.safeParse(data).success)) return 4
  if (type === 'system/message' || type.startsWith('tool/ptc-dispatch')) return 3
  return type === 'assistant/attempt' || (type === 'assistant/message' && withStream.safeParse(data).success) ? 2 : 0
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
