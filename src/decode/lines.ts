const NEWLINE = 0x0a

/** A line is handed over as a range, without its `\n`: cutting a view for every row of a log would cost more than reading it. */
export type OnLine = (bytes: Buffer, start: number, end: number) => void

/** Takes the line that begins at `start`, when it can do so quicker than by its end; returns that end, or -1. There is a line break before `limit`. */
export type Skim = (bytes: Buffer, start: number, limit: number) => number

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
    /** Here the last whole line is over. */
    const whole = bytes.lastIndexOf(NEWLINE) + 1
    let start = 0
    while (start < whole) {
      let end = this.#heldBytes > 0 ? -1 : this.#skim(bytes, start, whole)
      if (end === -1) {
        end = bytes.indexOf(NEWLINE, start)
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
