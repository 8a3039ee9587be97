/**
 * Chunk rows (one streamed piece of a reply, or many packed into one row) are the bulk of a v0 log and nothing here needs
 * their contents, so they are recognised by their bytes instead of being parsed. Only the key order the harness writes is
 * recognised; any other row gives null and is left to the JSON parser. Of a single chunk only what stands before its text is
 * looked at, and that the row is closed: nobody reads the rest.
 */
import { endOfLine } from './lines.ts'

/** `seq` and `time` of the first member. */
export interface ChunkRow {
  readonly seq: number
  readonly time: number
  readonly members: number
  /** The row carries arguments of a tool call. */
  readonly toolCall: boolean
  /** Where the row ends: at its line break, or where the bytes do. */
  readonly end: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const BACKSLASH = 0x5c
const OPEN = 0x5b
const CLOSE = 0x5d
const BRACE = 0x7d
const NEWLINE = 0x0a

/** A text of four bytes or more as words; the last word stands at its end and may overlap the one before. */
interface Literal {
  readonly words: Int32Array
  /** Index of the last word. */
  last: number
  /** In bytes. */
  length: number
}

function literal(text: string): Literal {
  const bytes = Buffer.from(text)
  const made = { words: new Int32Array(bytes.length), last: 0, length: 0 }
  fill(made, bytes, 0, bytes.length)
  return made
}

function fill(target: Literal, bytes: Buffer, from: number, to: number): void {
  target.length = to - from
  target.last = Math.ceil(target.length / 4) - 1
  for (let i = 0; i < target.last; i += 1) target.words[i] = bytes.readInt32LE(from + i * 4)
  target.words[target.last] = bytes.readInt32LE(to - 4)
}

const SINGLE = literal('{"type":"assistant/chunk","seq":')
const TEXT = literal('{"type":"text-chunks","seq0":')
const REASONING = literal('{"type":"reasoning-chunks","seq0":')
const TOOL_CALL = literal('{"type":"tool-call-chunks","seq0":')
const TIME = literal(',"time":')
const TIME0 = literal(',"time0":')
const TURN = literal(',"data":{"turn":')
const STEP = literal(',"step":')
const INDEX = literal(',"index":')
const CHUNK = literal(',"chunk":{"type":"')
const DELTA = literal('tool-call-delta"')
const DT = literal(',"dt":')
const ID = literal(',"id":')
const NAME = literal(',"name":')
const TEXTS = literal(',"texts":')
const ARGS = literal(',"args":')

/** No literal, number or string runs over a line break, so none runs over the end of the row. */
class Cursor {
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #end = 0
  /** From the time of the last single chunk up to its kind: mostly the same in the next one. */
  readonly #middle: Literal = { words: new Int32Array(32), last: 0, length: Infinity }
  /** What its kind says. */
  #toolCall = false

  row(bytes: Buffer, start: number, end: number): ChunkRow | null {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    this.#at = start
    this.#end = end
    if (this.literal(SINGLE)) return this.single()
    const toolCall = this.literal(TOOL_CALL)
    return toolCall || this.literal(TEXT) || this.literal(REASONING) ? this.packed(toolCall) : null
  }

  single(): ChunkRow | null {
    const seq = this.int()
    if (!this.literal(TIME)) return null
    const time = this.int()
    if (Number.isNaN(seq + time) || !(this.literal(this.#middle) || this.newMiddle())) return null
    const bytes = this.#bytes
    const found = endOfLine(bytes, this.#view, this.#at)
    const end = found === -1 || found > this.#end ? this.#end : found
    const closed = end - 3 >= this.#at && bytes[end - 1] === BRACE && bytes[end - 2] === BRACE && bytes[end - 3] === BRACE
    return closed ? { seq, time, members: 1, toolCall: this.#toolCall, end } : null
  }

  newMiddle(): boolean {
    const from = this.#at
    if (!this.inStep() || !this.literal(CHUNK)) return false
    const toolCall = this.literal(DELTA)
    if (!toolCall && !this.kind()) return false
    if (this.#at - from > this.#middle.words.byteLength) return false
    fill(this.#middle, this.#bytes, from, this.#at)
    this.#toolCall = toolCall
    return true
  }

  /** Steps over a name up to its end: a longer one may begin like a shorter one. */
  kind(): boolean {
    for (let at = this.#at; ; at += 1) {
      const byte = this.#bytes[at] ?? NEWLINE
      if (byte < 0x20) return false
      this.#at = at + 1
      if (byte === QUOTE) return true
    }
  }

  packed(toolCall: boolean): ChunkRow | null {
    const seq = this.int()
    if (!this.literal(TIME0)) return null
    const time = this.int()
    if (Number.isNaN(seq + time) || !this.inStep()) return null
    if (!this.literal(INDEX) || Number.isNaN(this.int()) || !this.literal(DT)) return null
    const gaps = this.ints()
    if (toolCall && !(this.literal(ID) && this.string() && (!this.literal(NAME) || this.string()))) return null
    if (!this.literal(toolCall ? ARGS : TEXTS)) return null
    const members = this.strings()
    const end = this.#at + 2
    const closed = this.#bytes[end - 2] === BRACE && this.#bytes[end - 1] === BRACE && (end === this.#end || (end < this.#end && this.#bytes[end] === NEWLINE))
    return gaps >= 0 && members === gaps + 1 && closed ? { seq, time, members, toolCall, end } : null
  }

  inStep(): boolean {
    return this.literal(TURN) && !Number.isNaN(this.int()) && this.literal(STEP) && !Number.isNaN(this.int())
  }

  /** Steps over the literal when it stands here. */
  literal({ words, last, length }: Literal): boolean {
    const at = this.#at
    if (at + length > this.#end) return false
    const view = this.#view
    for (let i = 0; i < last; i += 1) if (view.getInt32(at + i * 4, true) !== words[i]) return false
    if (view.getInt32(at + length - 4, true) !== words[last]) return false
    this.#at = at + length
    return true
  }

  /** A JSON integer ≥ 0; NaN when there is none. */
  int(): number {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    // Nine digits fit a small integer, with which the machine counts faster.
    let small = 0
    let byte = bytes[at] ?? 0
    for (; byte >= 0x30 && byte <= 0x39 && at < start + 9; byte = bytes[at] ?? 0) {
      small = (Math.imul(small, 10) + byte - 0x30) | 0
      at += 1
    }
    let value = small
    for (; byte >= 0x30 && byte <= 0x39; byte = bytes[at] ?? 0) {
      value = value * 10 + byte - 0x30
      at += 1
    }
    this.#at = at
    const digits = at - start
    return digits === 0 || digits > 15 || (bytes[start] === 0x30 && digits > 1) ? Number.NaN : value
  }

  /** Number of integers in the array here; -1 when it is none. */
  ints(): number {
    if (this.#bytes[this.#at] !== OPEN) return -1
    this.#at += 1
    if (this.#bytes[this.#at] === CLOSE) {
      this.#at += 1
      return 0
    }
    for (let count = 1; ; count += 1) {
      if (this.#bytes[this.#at] === MINUS) this.#at += 1
      if (Number.isNaN(this.int())) return -1
      const byte = this.#bytes[this.#at]
      this.#at += 1
      if (byte === CLOSE) return count
      if (byte !== COMMA) return -1
    }
  }

  /** Number of strings in the array here, which is not empty; -1 when it is none. */
  strings(): number {
    if (this.#bytes[this.#at] !== OPEN) return -1
    for (let count = 1; ; count += 1) {
      this.#at += 1
      if (!this.string()) return -1
      const byte = this.#bytes[this.#at]
      if (byte === CLOSE) {
        this.#at += 1
        return count
      }
      if (byte !== COMMA) return -1
    }
  }

  string(): boolean {
    const bytes = this.#bytes
    const end = this.#end
    let at = this.#at
    if (bytes[at] !== QUOTE) return false
    for (at += 1; at < end; at += 1) {
      let byte = bytes[at] ?? 0
      if (byte === QUOTE) {
        this.#at = at + 1
        return true
      }
      if (byte === BACKSLASH) byte = bytes[++at] ?? 0
      if (byte < 0x20) return false
    }
    return false
  }
}

const cursor = new Cursor()

/** The chunk row that begins at `start`; bytes after `end` are not looked at. */
export function chunkRow(bytes: Buffer, start: number, end: number): ChunkRow | null {
  return cursor.row(bytes, start, end)
}
