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

const TYPE = Buffer.from('{"type":"')
const SINGLE = Buffer.from('assistant/chunk","seq":')
const TEXT = Buffer.from('text-chunks","seq0":')
const REASONING = Buffer.from('reasoning-chunks","seq0":')
const TOOL_CALL = Buffer.from('tool-call-chunks","seq0":')
const TIME = Buffer.from(',"time":')
const TIME0 = Buffer.from(',"time0":')
const TURN = Buffer.from(',"data":{"turn":')
const STEP = Buffer.from(',"step":')
const INDEX = Buffer.from(',"index":')
const CHUNK = Buffer.from(',"chunk":{"type":"')
const DELTA = Buffer.from('tool-call-delta"')
const DT = Buffer.from(',"dt":')
const ID = Buffer.from(',"id":')
const NAME = Buffer.from(',"name":')
const TEXTS = Buffer.from(',"texts":')
const ARGS = Buffer.from(',"args":')
const SINGLE_END = Buffer.from('}}}')
const PACKED_END = Buffer.from('}}')

/** Bytes past the end of the row are the line break or nothing, so no literal or number can run over it. */
class Cursor {
  #row: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  reset(row: Buffer, start: number, end: number): void {
    this.#row = row
    this.#at = start
    this.#end = end
  }

  /** Steps over the literal when it stands here. */
  literal(bytes: Buffer): boolean {
    const row = this.#row
    const at = this.#at
    for (let i = 0; i < bytes.length; i += 1) if (row[at + i] !== bytes[i]) return false
    this.#at = at + bytes.length
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
    return this.#array(false)
  }

  /** Number of strings in the array here; -1 when it is none. */
  strings(): number {
    return this.#array(true)
  }

  string(): boolean {
    const row = this.#row
    if (row[this.#at] !== QUOTE) return false
    for (let i = this.#at + 1; i < this.#end; i += 1) {
      const byte = row[i] ?? 0
      if (byte === QUOTE) {
        this.#at = i + 1
        return true
      }
      if (byte === BACKSLASH) i += 1
      else if (byte < 0x20) return false
    }
    return false
  }

  /** The literal ends the row. */
  last(bytes: Buffer): boolean {
    return this.literal(bytes) && this.#at === this.#end
  }

  /** The row ends with the literal, wherever the cursor stands. */
  endsWith(bytes: Buffer): boolean {
    this.#at = this.#end - bytes.length
    return this.literal(bytes)
  }

  #int(): boolean {
    if (this.#row[this.#at] === MINUS) this.#at += 1
    return !Number.isNaN(this.int())
  }

  #array(ofStrings: boolean): number {
    if (this.#row[this.#at] !== OPEN) return -1
    this.#at += 1
    if (this.#row[this.#at] === CLOSE) {
      this.#at += 1
      return 0
    }
    for (let count = 1; ofStrings ? this.string() : this.#int(); count += 1) {
      const byte = this.#row[this.#at]
      this.#at += 1
      if (byte === CLOSE) return count
      if (byte !== COMMA) return -1
    }
    return -1
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
