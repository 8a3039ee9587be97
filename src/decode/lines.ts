const NEWLINE = 0x0a
const NEWLINES = 0x0a0a0a0a

/** A line is handed over as a range, without its `\n`: cutting a view for every row of a log would cost more than reading it. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/** Takes the line that begins at `start`, when it can do so quicker than by its end; returns that end, or -1. There is a line break before `limit`. */
export type Skim = (bytes: Buffer, start: number, limit: number) => number

/** Rows are mostly short: up to this length a plain loop finds their end faster than a call into the runtime. */
const SHORT = 256

/** Cuts byte chunks into lines. Chunks are only used during the call that hands them over; an unfinished line is copied. */
export class LineSplitter {
  readonly #onLine: OnLine
  readonly #onTooLong: (bytes: number) => void
  readonly #skim: Skim
  readonly #limit: number
  #held: Buffer[] = []
  #heldBytes = 0

  /** Of a line longer than `limit` bytes only the size is told. `skim` is asked first about every line that begins in a chunk. */
  constructor(limit: number, onLine: OnLine, onTooLong: (bytes: number) => void, skim: Skim = () => -1) {
    this.#skim = skim
    this.#limit = limit
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    /** Here the last whole line is over. */
    const whole = bytes.lastIndexOf(NEWLINE) + 1
    let start = 0
    while (start < whole) {
      let end = this.#heldBytes > 0 ? -1 : this.#skim(bytes, start, whole)
      if (end === -1) {
        end = endOfLine(bytes, view, start)
        if (this.#heldBytes > 0) this.#finish(bytes.subarray(start, end))
        else if (end - start > this.#limit) this.#onTooLong(end - start)
        else this.#onLine(bytes, start, end)
      }
      start = end + 1
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start))
  }

  /** Bytes after the last `\n`; they are no line. */
  get rest(): number {
    return this.#heldBytes
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length
    if (this.#heldBytes <= this.#limit) this.#held.push(Buffer.from(part))
    else this.#held = []
  }

  #finish(part: Buffer): void {
    const bytes = this.#heldBytes + part.length
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    if (bytes > this.#limit) this.#onTooLong(bytes)
    else this.#onLine(Buffer.concat([...held, part], bytes), 0, bytes)
  }
}

/** -1: no line break. `view` shows the same bytes. */
export function endOfLine(bytes: Buffer, view: DataView, start: number): number {
  const near = Math.min(start + SHORT, bytes.length)
  let at = start
  for (; at + 4 <= near; at += 4) {
    // The usual trick: some byte of the word is zero, here: was a line break.
    const word = view.getInt32(at, true) ^ NEWLINES
    if (((word - 0x01010101) & ~word & 0x80808080) !== 0) break
  }
  for (; at < near; at += 1) if (bytes[at] === NEWLINE) return at
  return bytes.indexOf(NEWLINE, near)
}
