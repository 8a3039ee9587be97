/**
 * Chunk rows (one streamed piece of a reply, or many packed into one row) are the bulk of a v0 log and nothing here needs
 * their contents, so they are recognised by their bytes instead of being parsed. Only the key order the harness writes is
 * recognised; any other row gives null and is left to the JSON parser. Of a single chunk only what stands before its text is
 * looked at, and that the row is closed: nobody reads the rest.
 */

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
  fill(made, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length)
  return made
}

function fill(target: Literal, view: DataView, from: number, to: number): void {
  target.length = to - from
  target.last = Math.ceil(target.length / 4) - 1
  for (let i = 0; i < target.last; i += 1) target.words[i] = view.getInt32(from + i * 4, true)
  target.words[target.last] = view.getInt32(to - 4, true)
}

const IN_STEP = [literal(',"data":{"turn":'), literal(',"step":')]
const SINGLE = [literal('{"type":"assistant/chunk","seq":'), literal(',"time":')]
const STEP_START = [literal('{"type":"step/start","seq":'), literal(',"time":'), ...IN_STEP]
const STEP_END = [literal('{"type":"step/end","seq":'), literal(',"time":'), ...IN_STEP]
const [TEXT, REASONING, TOOL_CALL] = ['text', 'reasoning', 'tool-call'].map((kind) =>
  [literal(`{"type":"${kind}-chunks","seq0":`), literal(',"time0":'), ...IN_STEP, literal(',"index":')]) as [Literal[], Literal[], Literal[]]
const CHUNK = literal(',"chunk":{"type":"')
const DELTA = literal('tool-call-delta"')
const DT = literal(',"dt":[')
const ID = literal(',"id":')
const NAME = literal(',"name":')
const TEXTS = literal(',"texts":[')
const ARGS = literal(',"args":[')

/** No literal, number or string runs over a line break, so none runs over the end of the row. */
export class ChunkReader {
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0
  #end = 0
  /** Those that stood behind the last literals. */
  readonly #numbers = new Float64Array(5)
  /** From the time of the last single chunk up to its kind: mostly the same in the next one. */
  readonly #middle: Literal = { words: new Int32Array(32), last: 0, length: Infinity }
  /** What its kind says. */
  #toolCall = false

  /** The chunk row that begins at `start`; bytes after `end` are not looked at. */
  row(bytes: Buffer, start: number, end: number): ChunkRow | null {
    this.open(bytes, start, end)
    if (this.counted(SINGLE)) return this.single()
    const toolCall = this.counted(TOOL_CALL)
    return toolCall || this.counted(TEXT) || this.counted(REASONING) ? this.packed(toolCall) : null
  }

  /**
   * The row from `start` to `end` as the JSON parser would give it, when a step starts or ends with it: every fourth row
   * that is no chunk, too short to be worth a string and a parser.
   */
  step(bytes: Buffer, start: number, end: number): object | null {
    this.open(bytes, start, end)
    const type = this.counted(STEP_START) ? 'step/start' : this.counted(STEP_END) ? 'step/end' : null
    if (type === null || this.#at + 2 !== end || bytes[end - 2] !== BRACE || bytes[end - 1] !== BRACE) return null
    const [seq, time, turn, step] = this.#numbers
    return { type, seq, time, data: { turn, step } }
  }

  open(bytes: Buffer, start: number, end: number): void {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    this.#at = start
    this.#end = end
  }

  single(): ChunkRow | null {
    const seq = this.#numbers[0] ?? 0
    const time = this.#numbers[1] ?? 0
    if (!this.literal(this.#middle) && !this.newMiddle()) return null
    const bytes = this.#bytes
    const found = bytes.indexOf(NEWLINE, this.#at)
    const end = found === -1 || found > this.#end ? this.#end : found
    const closed = end - 3 >= this.#at && bytes[end - 1] === BRACE && bytes[end - 2] === BRACE && bytes[end - 3] === BRACE
    return closed ? { seq, time, members: 1, toolCall: this.#toolCall, end } : null
  }

  newMiddle(): boolean {
    const from = this.#at
    if (!this.counted(IN_STEP) || !this.literal(CHUNK)) return false
    const toolCall = this.literal(DELTA)
    if (!toolCall && !this.kind()) return false
    if (this.#at - from > this.#middle.words.byteLength) return false
    fill(this.#middle, this.#view, from, this.#at)
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
    const seq = this.#numbers[0] ?? 0
    const time = this.#numbers[1] ?? 0
    if (!this.literal(DT)) return null
    const gaps = this.ints()
    if (toolCall && !(this.literal(ID) && this.string() && (!this.literal(NAME) || this.string()))) return null
    if (!this.literal(toolCall ? ARGS : TEXTS)) return null
    const members = this.strings()
    const bytes = this.#bytes
    const end = this.#at + 2
    const closed = bytes[end - 2] === BRACE && bytes[end - 1] === BRACE && (end === this.#end || (end < this.#end && bytes[end] === NEWLINE))
    return gaps >= 0 && members === gaps + 1 && closed ? { seq, time, members, toolCall, end } : null
  }

  /** Steps over the literals, each with an integer behind it, when they stand here. */
  counted(literals: readonly Literal[]): boolean {
    const start = this.#at
    for (let i = 0; i < literals.length; i += 1) {
      const text = literals[i]
      const value = text && this.literal(text) ? this.int() : Number.NaN
      if (Number.isNaN(value)) {
        this.#at = start
        return false
      }
      this.#numbers[i] = value
    }
    return true
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
    return isInt(bytes, start, at) ? value : Number.NaN
  }

  /** Number of integers up to the end of the array, which may be next; -1 when something else is among them. */
  ints(): number {
    const bytes = this.#bytes
    let at = this.#at
    if (bytes[at] === CLOSE) {
      this.#at = at + 1
      return 0
    }
    for (let count = 1; ; count += 1) {
      if (bytes[at] === MINUS) at += 1
      const start = at
      let byte = bytes[at] ?? 0
      for (; byte >= 0x30 && byte <= 0x39; byte = bytes[at] ?? 0) at += 1
      if (!isInt(bytes, start, at)) return -1
      at += 1
      if (byte === CLOSE) {
        this.#at = at
        return count
      }
      if (byte !== COMMA) return -1
    }
  }

  /** Number of strings up to the end of the array, of which one is next; -1 when something else is among them. */
  strings(): number {
    const bytes = this.#bytes
    let at = this.#at
    for (let count = 1; ; count += 1) {
      at = endOfString(bytes, at)
      if (at === -1) return -1
      const byte = bytes[at]
      at += 1
      if (byte === CLOSE) {
        this.#at = at
        return count
      }
      if (byte !== COMMA) return -1
    }
  }

  /** Steps over the string when one stands here. */
  string(): boolean {
    const end = endOfString(this.#bytes, this.#at)
    if (end !== -1) this.#at = end
    return end !== -1
  }
}

/** Whether these digits are a JSON integer that a number holds. */
function isInt(bytes: Buffer, start: number, end: number): boolean {
  const digits = end - start
  return digits > 0 && digits <= 15 && (digits === 1 || bytes[start] !== 0x30)
}

/** Where the string that begins at `start` is over; -1 when there is none. */
function endOfString(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) return -1
  for (let at = start + 1; ; at += 1) {
    const byte = bytes[at] ?? NEWLINE
    // Most letters.
    if (byte > BACKSLASH) continue
    if (byte === QUOTE) return at + 1
    if (byte < 0x20) return -1
    if (byte === BACKSLASH && (bytes[++at] ?? NEWLINE) < 0x20) return -1
  }
}
