import { z } from 'zod'
import { ChunkReader, type ChunkRow } from './chunk-rows.ts'
import { withRuns } from './cited-seqs.ts'
import { withoutStream } from './embedded-stream.ts'
import type { EventOf, EventSink, SeqRun } from './event.ts'
import { describe } from './header.ts'
import type { IssueLog } from './issues.ts'
import { READERS, type Head } from './payloads.ts'
import { count, isCount, isRecord, surfaceOp } from './schema.ts'
import { usualEvent } from './usual.ts'
import { KNOWN_TYPES, SURFACE_TYPES } from './vocabulary.ts'

/** Snapshot fixtures have neither `seq` nor `time`; nothing else may be missing. */
const envelope = z.looseObject({
  type: z.string(),
  seq: count.optional(),
  time: z.int().optional(),
  data: z.unknown(),
  ignorable: z.literal(true).optional(),
  surfaceOp: z.unknown().optional(),
  sourceEventSeqs: z.unknown().optional(),
})
type Envelope = z.output<typeof envelope>
const KEYS = new Set(Object.keys(envelope.shape))

/** The usual envelope, told apart quickly. */
function isEnvelope(value: unknown): value is Envelope {
  if (!isRecord(value)) return false
  const { type, seq, time, data, ignorable } = value
  return typeof type === 'string' && isCount(seq) && Number.isSafeInteger(time) && data !== undefined && ignorable === undefined
}

/** Rows that hold several events; their types have no slash. */
const PACKED = new Set(['text-chunks', 'reasoning-chunks', 'tool-call-chunks'])
const inStep = { turn: z.unknown(), step: z.unknown() }
const packedHead = { seq0: count.optional(), time0: z.int().optional() }
const packed = { ...inStep, index: count, dt: z.array(z.int()) }
const strings = z.array(z.string())
const packedRow = z.union([
  z.strictObject({ type: z.enum(['text-chunks', 'reasoning-chunks']), ...packedHead, data: z.strictObject({ ...packed, texts: strings }) })
    .transform((row) => ({ ...row, members: row.data.texts.length, toolCall: false })),
  z.strictObject({ type: z.literal('tool-call-chunks'), ...packedHead, data: z.strictObject({ ...packed, id: z.string(), name: z.string().optional(), args: strings }) })
    .transform((row) => ({ ...row, members: row.data.args.length, toolCall: true })),
]).refine((row) => row.members > 0 && row.members === row.data.dt.length + 1, 'dt does not fit the number of members')

const toolCallDelta = z.object({ chunk: z.object({ type: z.literal('tool-call-delta') }) })
/** On disk, runs of seqs may be written as `[first, last]`. */
function runOf(entry: unknown): SeqRun | null {
  if (isCount(entry)) return { first: entry, last: entry }
  if (!Array.isArray(entry) || entry.length !== 2) return null
  const [first, last]: readonly unknown[] = entry
  return isCount(first) && isCount(last) && first <= last ? { first, last } : null
}

type Chunks = Omit<ChunkRow, 'end'>
type Stream = { -readonly [K in keyof EventOf<'stream'>]: EventOf<'stream'>[K] }

/** Turns the rows after the header into events with strictly rising seqs. */
export class RowDecoder {
  readonly #version: number
  readonly #sink: EventSink
  readonly #issues: IssueLog
  readonly #unknown = new Map<string, { rows: number; readonly line: number; readonly seq: number; readonly ignorable: boolean }>()
  readonly #foreign = new Set<string>()
  readonly #chunks = new ChunkReader()
  /** The seq the next row should have. */
  #next: number
  /** Events so far, chunks counted one by one. */
  #read = 0
  #time = 0
  /** The last row could not be read, so the number of seqs it stood for is unknown. */
  #lost = false
  #repeats = 0
  #stream: Stream | null = null

  constructor(version: number, firstSeq: number, sink: EventSink, issues: IssueLog) {
    this.#version = version
    this.#next = firstSeq
    this.#sink = sink
    this.#issues = issues
  }

  /** Takes the row that begins at `start` when it is a chunk row as the harness writes it; returns its end, or -1. */
  chunk(bytes: Buffer, start: number, limit: number, line: number): number {
    const chunk = this.#version === 0 ? this.#chunks.row(bytes, start, limit) : null
    if (!chunk) return -1
    this.#chunk(chunk, line, chunk.end - start)
    return chunk.end
  }

  /** The row is `bytes[start…end)`. */
  row(bytes: Buffer, start: number, end: number, line: number): void {
    if (this.chunk(bytes, start, end, line) !== -1) return
    if (start === end) this.#bad('blank-line', line, 'This line is blank.')
    else this.#parsed(this.#json(bytes, start, end), line, end - start)
  }

  finish(): void {
    this.#flush()
    for (const [type, { rows, line, seq, ignorable }] of this.#unknown) {
      const times = rows === 1 ? 'once' : `${rows} times, here first`
      this.#issues.add('unknown-event', { line, seq }, `Unknown event type ${JSON.stringify(type)} (${times})${ignorable ? ', marked ignorable' : ''}.`, ignorable ? 'accept' : 'refuse')
    }
  }

  /** `undefined`: no JSON. */
  #json(bytes: Buffer, start: number, end: number): unknown {
    const step = this.#chunks.step(bytes, start, end)
    if (step) return step
    const short = this.#version >= 2 ? withoutStream(bytes, start, end) : withRuns(bytes, start, end)
    return (short === null ? undefined : parse(short)) ?? parse(bytes.toString('utf8', start, end))
  }

  #parsed(value: unknown, line: number, bytes: number): void {
    if (value === undefined) {
      this.#bad('unparsable-line', line, 'This line is not JSON.')
      return
    }
    const parsed = isEnvelope(value) ? { success: true as const, data: value } : envelope.safeParse(value)
    if (parsed.success && !PACKED.has(parsed.data.type)) this.#enveloped(parsed.data, line, bytes)
    else if (parsed.success) this.#packed(value, line, bytes)
    else {
      this.#lost = true
      this.#issues.add('malformed-envelope', { line }, `This row is no event (${describe(parsed.error)}).`, 'refuse')
    }
  }

  #bad(code: string, line: number, text: string): void {
    this.#lost = true
    this.#issues.broken(code, { line }, text)
  }

  #packed(value: unknown, line: number, bytes: number): void {
    const parsed = packedRow.safeParse(value)
    if (!parsed.success) {
      this.#bad('malformed-row', line, `This packed row is malformed (${describe(parsed.error)}).`)
      return
    }
    const { type, seq0, time0, members, toolCall } = parsed.data
    this.#inFormat(type, 0, 0, line)
    this.#chunk({ seq: seq0 ?? this.#next, time: time0 ?? this.#time, members, toolCall }, line, bytes)
  }

  #enveloped(row: Envelope, line: number, bytes: number): void {
    const seq = row.seq ?? this.#next
    const time = row.time ?? this.#time
    const isNew = this.#inSequence(seq, 1, line)
    if (row.type === 'turn/end') this.#issues.sawTurnEnd()
    if (!isNew) return
    this.#time = time
    for (const key in row) {
      if (!KEYS.has(key)) this.#issues.add('unknown-key', { line, seq }, `The row has a key that is not part of an event: ${JSON.stringify(key)}.`, 'refuse')
    }
    if (row.type === 'assistant/chunk') {
      this.#inFormat(row.type, 0, 0, line)
      this.#append({ seq, time, members: 1, toolCall: toolCallDelta.safeParse(row.data).success }, line, bytes)
      return
    }
    this.#flush()
    this.#event(row, { seq, time, line, bytes, ...(row.ignorable ? { ignorable: true as const } : {}) })
  }

  #event(row: Envelope, head: Head): void {
    const { type } = row
    const known = KNOWN_TYPES.get(type)
    if (known) this.#inFormat(type, known.since, known.until, head.line)
    else {
      const seen = this.#unknown.get(type)
      if (seen) seen.rows += 1
      else this.#unknown.set(type, { rows: 1, line: head.line, seq: head.seq, ignorable: row.ignorable ?? false })
    }
    const isSurface = SURFACE_TYPES.has(type)
    if (known && isSurface !== (row.surfaceOp !== undefined)) {
      this.#issues.add('surface-op', head, isSurface ? `${type} without surfaceOp.` : `${type} must not have a surfaceOp.`, 'refuse')
    }
    const place = { surfaceOp: isSurface ? this.#surfaceOp(row, head) : null, sourceEventSeqs: this.#sources(row, head) }
    const usual = usualEvent(type, row.data, head, place)
    if (usual) {
      this.#sink.event(usual)
      return
    }
    const read = READERS.get(type)
    if (!read) {
      this.#sink.event({ type: 'other', name: type, ...head })
      return
    }
    const event = read(row.data, head, place)
    if (!(event instanceof z.ZodError)) {
      this.#sink.event(event)
      return
    }
    const checked = isSurface || type === 'request/header'
    this.#issues.add('malformed-event', head, `${type} does not fit its shape (${describe(event)}); it is left out.`, checked ? 'refuse' : 'accept')
  }

  #surfaceOp(row: Envelope, head: Head): z.output<typeof surfaceOp> | null {
    if (row.surfaceOp === undefined) return null
    if (row.surfaceOp === 'append') return row.surfaceOp
    const parsed = surfaceOp.safeParse(row.surfaceOp)
    if (!parsed.success) this.#issues.add('surface-op', head, `${row.type} has a surfaceOp that is none.`, 'refuse')
    return parsed.data ?? null
  }

  #sources({ sourceEventSeqs: cited, type, seq }: Envelope, head: Head): SeqRun[] | null {
    if (cited === undefined) return null
    const runs: SeqRun[] = []
    let length = 0
    for (const entry of Array.isArray(cited) ? cited : [cited]) {
      const run = runOf(entry)
      length += run ? run.last - run.first + 1 : 0
      // A reference can only name an event before it, so a longer list than events is a lie, whatever its runs say.
      if (!run || run.last >= head.seq || length > this.#read) {
        // A snapshot without seqs still cites those of the log it was taken from.
        if (seq !== undefined) this.#issues.add('source-seqs', head, `${type} has sourceEventSeqs that do not name earlier events.`, 'refuse')
        return null
      }
      const before = runs.at(-1)
      if (before?.last === run.first - 1) runs.splice(-1, 1, { first: before.first, last: run.last })
      else runs.push(run)
    }
    return runs
  }

  /** Whether the row is new. Rows that were read before are left out: a doubled stretch must not count twice. */
  #inSequence(seq: number, members: number, line: number): boolean {
    const expected = this.#next
    if (seq < expected) {
      if (this.#repeats === 0) this.#issues.broken('sequence-repeat', { line, seq }, `seq ${seq} again, ${expected} was due; rows up to seq ${expected - 1} are left out.`)
      this.#repeats += 1
      if (seq + members <= expected) return false
    } else if (seq > expected && !this.#lost) {
      this.#issues.broken('sequence-gap', { line, seq }, `seq jumps from ${expected - 1} to ${seq}: ${seq - expected} events are missing.`)
    }
    if (seq !== expected) this.#flush()
    if (seq >= expected) this.#repeats = 0
    this.#lost = false
    this.#next = seq + members
    this.#read += members
    return true
  }

  #chunk(chunk: Chunks, line: number, bytes: number): void {
    if (!this.#inSequence(chunk.seq, chunk.members, line)) return
    this.#time = chunk.time
    this.#append(chunk, line, bytes)
  }

  #append({ seq, time, members, toolCall }: Chunks, line: number, bytes: number): void {
    this.#stream ??= { type: 'stream', seq, time, line, bytes: 0, lastSeq: seq, rows: 0, toolCallBytes: 0 }
    const stream = this.#stream
    stream.lastSeq = seq + members - 1
    stream.rows += 1
    stream.bytes += bytes
    if (toolCall) stream.toolCallBytes += bytes
  }

  #flush(): void {
    if (!this.#stream) return
    this.#sink.event(this.#stream)
    this.#stream = null
  }

  /** Each name that the log's format does not have is told once. */
  #inFormat(type: string, since: number, until: number, line: number): void {
    if ((this.#version >= since && this.#version <= until) || this.#foreign.has(type)) return
    this.#foreign.add(type)
    this.#issues.add('foreign-shape', { line }, `${type} does not belong to log format ${this.#version}.`, 'refuse')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
