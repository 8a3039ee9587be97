/** Reads a byte stream by count instead of by chunk. Views that it gives are good until it reads on. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #buffer: Buffer = Buffer.alloc(0)
  #start = 0
  #end = 0
  #offset: number

  /** `offset`: where in the file the stream begins. */
  constructor(bytes: AsyncIterable<Uint8Array>, offset = 0) {
    this.#chunks = bytes[Symbol.asyncIterator]()
    this.#offset = offset
  }

  /** Byte offset of the next byte to take. */
  get offset(): number {
    return this.#offset
  }

  /** What was read and not yet taken. */
  get held(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  /** Whether `count` bytes can be taken; reads as far as needed. */
  async has(count: number): Promise<boolean> {
    while (this.#end - this.#start < count) {
      const next = await this.#chunks.next()
      if (next.done) return false
      this.#hold(next.value)
    }
    return true
  }

  take(count: number): Buffer {
    const taken = this.held.subarray(0, count)
    this.#start += taken.length
    this.#offset += taken.length
    return taken
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Uint8Array> {
    if (this.#end > this.#start) yield this.take(this.#end - this.#start)
    for (let next = await this.#chunks.next(); !next.done; next = await this.#chunks.next()) yield next.value
  }

  /** Lets the source close its file. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  #hold(chunk: Uint8Array): void {
    const size = this.#end - this.#start + chunk.length
    if (this.#end + chunk.length > this.#buffer.length) {
      // Moved to the front, or to twice the room: every byte is moved a few times at most, however small the chunks.
      const { held } = this
      if (size * 2 > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(size * 2)
      held.copy(this.#buffer)
      this.#end -= this.#start
      this.#start = 0
    }
    this.#buffer.set(chunk, this.#end)
    this.#end += chunk.length
  }
}
