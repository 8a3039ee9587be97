const NONE = Buffer.alloc(0)

/** Reads a byte stream by count instead of by chunk. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer = NONE
  #offset = 0

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** Byte offset of the next byte to take. */
  get offset(): number {
    return this.#offset
  }

  /** What was read and not yet taken. */
  get held(): Buffer {
    return this.#held
  }

  /** Whether `count` bytes can be taken; reads as far as needed. */
  async has(count: number): Promise<boolean> {
    if (this.#held.length >= count) return true
    const parts = [this.#held]
    let length = this.#held.length
    while (length < count) {
      const next = await this.#chunks.next()
      if (next.done) break
      parts.push(Buffer.from(next.value))
      length += next.value.length
    }
    this.#held = parts.length === 1 ? this.#held : Buffer.concat(parts, length)
    return length >= count
  }

  take(count: number): Buffer {
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    this.#offset += taken.length
    return taken
  }

  /** Steps over `count` bytes without holding them; false when the stream ends before. */
  async skip(count: number): Promise<boolean> {
    let left = count
    while (left > 0 && (await this.has(1))) left -= this.take(left).length
    return left === 0
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#held.length > 0) yield this.take(this.#held.length)
    for (let next = await this.#chunks.next(); !next.done; next = await this.#chunks.next()) yield next.value
  }

  /** Lets the source close its file. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }
}
