const NEWLINE = 0x0a

/**
 * Cuts byte chunks into lines (without their `\n`). Lines and chunks are only valid during the call that hands them over:
 * nothing is decoded or kept here except the start of an unfinished line.
 */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void
  readonly #onTooLong: (bytes: number) => void
  readonly #limit: number
  #held: Buffer[] = []
  #heldBytes = 0

  /** Of a line longer than `limit` bytes only the size is told. */
  constructor(limit: number, onLine: (line: Buffer) => void, onTooLong: (bytes: number) => void) {
    this.#limit = limit
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#finish(bytes.subarray(start, end))
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
    else if (held.length === 0) this.#onLine(part)
    else this.#onLine(Buffer.concat([...held, part], bytes))
  }
}
