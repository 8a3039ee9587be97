/**
 * Chunk rows (one streamed piece of a reply, or many packed into one row) are the bulk of a v0 log and nothing here needs
 * their contents, so they are recognised by their bytes instead of being parsed. Only the key order the harness writes is
 * recognised; any other row, valid or not, gives null and is left to the JSON parser.
 */

/** `seq` and `time` of the first member. */
export interface ChunkRow {
  readonly seq: number
  readonly time: number
  readonly members: number
  /** The row carries arguments of a tool call. */
  readonly toolCall: boolean
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const BACKSLASH = 0x5c
const OPEN = 0x5b
const CLOSE = 0x5d

/** A fixed text, compared four bytes at a time. */
interface Literal {
  readonly words: Int32Array
  readonly tail: Uint8Array
  readonly length: number
}

function literal(text: string): Literal {
  const bytes = Buffer.from(text)
  const words = Int32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readInt32LE(i * 4))
  return { words, tail: bytes.subarray(words.length * 4), length: bytes.length }
}

const TYPE = literal('{"type":"')
const SINGLE = literal('assistant/chunk","seq":')
const TEXT = literal('text-chunks","seq0":')
const REASONING = literal('reasoning-chunks","seq0":')
const TOOL_CALL = literal('tool-call-chunks","seq0":')
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
const SINGLE_END = literal('}}}')
const PACKED_END = literal('}}')

/** Bytes past the end of the row are the line break or nothing, so no literal or number can run over it. */
class Cursor {
  #row: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #end = 0

  reset(row: Buffer, start: number, end: number): void {
    if (this.#row !== row) {
      this.#row = row
      this.#view = new DataView(row.buffer, row.byteOffset, row.length)
    }
    this.#at = start
    this.#end = end
  }

  /** Steps over the literal when it stands here. */
  literal({ words, tail, length }: Literal): boolean {
    const at = this.#at
    if (at < 0 || at + length > this.#end) return false
    const view = this.#view
    for (let i = 0; i < words.length; i += 1) if (view.getInt32(at + i * 4, true) !== words[i]) return false
    const tailAt = at + words.length * 4
    for (let i = 0; i < tail.length; i += 1) if (this.#row[tailAt + i] !== tail[i]) return false
    this.#at = at + length
    return true
  }

  /** A JSON integer ≥ 0; NaN when there is none. */
  int(): number {
    const row = this.#row
    const start = this.#at
    const first = row[start] ?? 0
    let value = 0
    let at = start
    for (let byte = first; byte >= 0x30 && byte <= 0x39; byte = row[at] ?? 0) {
      value = value * 10 + byte - 0x30
      at += 1
    }
    this.#at = at
    const digits = at - start
    return digits === 0 || digits > 15 || (first === 0x30 && digits > 1) ? Number.NaN : value
  }

  /** Number of integers in the array here; -1 when it is none. */
  ints(): number {
    if (this.#row[this.#at] !== OPEN) return -1
    this.#at += 1
    if (this.#row[this.#at] === CLOSE) {
      this.#at += 1
      return 0
    }
    for (let count = 1; ; count += 1) {
      if (this.#row[this.#at] === MINUS) this.#at += 1
      if (Number.isNaN(this.int())) return -1
      const byte = this.#row[this.#at]
      this.#at += 1
      if (byte === CLOSE) return count
      if (byte !== COMMA) return -1
    }
  }

  /** Number of strings in the array here, which is not empty; -1 when it is none. */
  strings(): number {
    if (this.#row[this.#at] !== OPEN) return -1
    for (let count = 1; ; count += 1) {
      this.#at += 1
      if (!this.string()) return -1
      const byte = this.#row[this.#at]
      if (byte === CLOSE) {
        this.#at += 1
        return count
      }
      if (byte !== COMMA) return -1
    }
  }

  string(): boolean {
    const row = this.#row
    const end = this.#end
    let at = this.#at
    if (row[at] !== QUOTE) return false
    for (at += 1; at < end; at += 1) {
      const byte = row[at] ?? 0
      if (byte === QUOTE) {
        this.#at = at + 1
        return true
      }
      if (byte === BACKSLASH) at += 1
      else if (byte < 0x20) return false
    }
    return false
  }

  /** The literal ends the row. */
  last(text: Literal): boolean {
    return this.literal(text) && this.#at === this.#end
  }

  /** The row ends with the literal, wherever the cursor stands. */
  endsWith(text: Literal): boolean {
    this.#at = this.#end - text.length
    return this.literal(text)
  }
}

const cursor = new Cursor()

/** The row is `bytes[start…end)`. */
export function chunkRow(bytes: Buffer, start: number, end: number): ChunkRow | null {
  cursor.reset(bytes, start, end)
  if (!cursor.literal(TYPE)) return null
  if (cursor.literal(SINGLE)) return single()
  const toolCall = cursor.literal(TOOL_CALL)
  return toolCall || cursor.literal(TEXT) || cursor.literal(REASONING) ? packed(toolCall) : null
}

function single(): ChunkRow | null {
  const seq = cursor.int()
  if (!cursor.literal(TIME)) return null
  const time = cursor.int()
  if (!inStep() || !cursor.literal(CHUNK)) return null
  const toolCall = cursor.literal(DELTA)
  return !Number.isNaN(seq + time) && cursor.endsWith(SINGLE_END) ? { seq, time, members: 1, toolCall } : null
}

function packed(toolCall: boolean): ChunkRow | null {
  const seq = cursor.int()
  if (!cursor.literal(TIME0)) return null
  const time = cursor.int()
  if (Number.isNaN(seq + time) || !inStep()) return null
  if (!cursor.literal(INDEX) || Number.isNaN(cursor.int()) || !cursor.literal(DT)) return null
  const gaps = cursor.ints()
  if (toolCall && !(cursor.literal(ID) && cursor.string() && (!cursor.literal(NAME) || cursor.string()))) return null
  if (!cursor.literal(toolCall ? ARGS : TEXTS)) return null
  const members = cursor.strings()
  return gaps >= 0 && members === gaps + 1 && cursor.last(PACKED_END) ? { seq, time, members, toolCall } : null
}

function inStep(): boolean {
  return cursor.literal(TURN) && !Number.isNaN(cursor.int()) && cursor.literal(STEP) && !Number.isNaN(cursor.int())
}
