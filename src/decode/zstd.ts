/**
 * libzstd as WebAssembly. It does the same on every Node, and is faster for frames of a few kB than the decoder that Node
 * has from 22.15 on: that one makes a stream for every frame.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A block has at most 128 KiB, packed or not. */
export const BLOCK_BYTES = 128 * 1024
/** One push may hold so many whole blocks and a torn one. */
export const PART_BLOCKS = 64
/** Text that may wait while another part is pushed. */
export const BATCH_BYTES = 1024 * 1024

const PART_BYTES = (PART_BLOCKS + 1) * BLOCK_BYTES
/** Beside the blocks: their heads, the frame's head and checksum. */
const HEADS_BYTES = 1024
const CHECKSUM_WRONG = -22

interface Library {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly malloc: (bytes: number) => number
  readonly ZSTD_createDCtx: () => number
  readonly ZSTD_freeDCtx: (context: number) => void
  /** 0: the frame is over; below: an error. Both cursors are an address, a size and a position. */
  readonly ZSTD_decompressStream: (context: number, output: number, input: number) => number
}

const require = createRequire(import.meta.url)

function load(): Library {
  // The package's own way in would fetch() a data: URL, which starts Node's HTTP client: 100 ms and 20 MB for nothing.
  const code = readFileSync(require.resolve('zstddec/stream'), 'latin1')
  const [, binary = ''] = /["'`](AGFzbQ[\w+/=]+)["'`]/.exec(code) ?? []
  return new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(binary, 'base64')), { env: { emscripten_notify_memory_growth() {} } }).exports as Library
}

/** Memory inside the library, one for all streams of a thread. Pages that were never written cost nothing. */
interface Places {
  readonly library: Library
  readonly input: number
  readonly output: number
  readonly cursors: number
}

let places: Places | null = null

function reserve(): Places {
  const library = load()
  return { library, input: library.malloc(PART_BYTES + HEADS_BYTES), output: library.malloc(PART_BYTES + BATCH_BYTES), cursors: library.malloc(24) }
}

export type Pushed = 'frame-over' | 'frame-goes-on' | 'bad-checksum' | 'bad-block'

/**
 * Decodes frames given in parts. The text gathers in a place that all streams share: it is to be taken before anything
 * is awaited. `close` frees what the garbage collector does not know.
 */
export class ZstdStream {
  readonly #places = (places ??= reserve())
  #context = this.#places.library.ZSTD_createDCtx()
  #memory = new Uint8Array()
  #cursors = new DataView(this.#memory.buffer)
  #waiting = 0

  /** Bytes of text that wait to be taken. */
  get waiting(): number {
    return this.#waiting
  }

  /** Gives text for whole blocks at once, and for the part of a stored block that is there. After an error the next frame can be pushed. */
  push(part: Uint8Array): Pushed {
    const { library, input, output, cursors } = this.#places
    this.#look()
    this.#memory.set(part, input)
    this.#cursor(cursors, output, PART_BYTES + BATCH_BYTES, this.#waiting)
    this.#cursor(cursors + 12, input, part.length, 0)
    const result = library.ZSTD_decompressStream(this.#context, cursors, cursors + 12)
    this.#look()
    const left = part.length - this.#cursors.getUint32(cursors + 20, true)
    if (result < 0 || left > 0) {
      this.close()
      this.#context = library.ZSTD_createDCtx()
      return result === CHECKSUM_WRONG ? 'bad-checksum' : 'bad-block'
    }
    this.#waiting = this.#cursors.getUint32(cursors + 8, true)
    return result === 0 ? 'frame-over' : 'frame-goes-on'
  }

  /** The last byte of text that waits. */
  get lastByte(): number | undefined {
    return this.#waiting === 0 ? undefined : this.#memory[this.#places.output + this.#waiting - 1]
  }

  /** Copies the waiting text from `start` on, which waits no longer, into `room` if that is large enough. */
  takeFrom(start: number, room: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
    const size = this.#waiting - start
    const text = new Uint8Array(room && room.byteLength >= size ? room : new ArrayBuffer(Math.max(size, BATCH_BYTES)), 0, size)
    const at = this.#places.output + start
    text.set(this.#memory.subarray(at, at + size))
    this.#waiting = start
    return text
  }

  close(): void {
    this.#places.library.ZSTD_freeDCtx(this.#context)
  }

  /** The library's memory moves when it grows. */
  #look(): void {
    const { buffer } = this.#places.library.memory
    if (this.#cursors.buffer === buffer) return
    this.#memory = new Uint8Array(buffer)
    this.#cursors = new DataView(buffer)
  }

  #cursor(at: number, address: number, size: number, position: number): void {
    this.#cursors.setUint32(at, address, true)
    this.#cursors.setUint32(at + 4, size, true)
    this.#cursors.setUint32(at + 8, position, true)
  }
}
