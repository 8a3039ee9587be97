/**
 * Zstandard, frame by frame. The harness appends every batch as a frame of its own; decoders for whole files stop after
 * the first frame or fail at a torn last one, so frames are found here by their structure (RFC 8878) before any is decoded.
 */
import type { ByteReader } from './byte-reader.ts'
import type { Issue } from './event.ts'
import { BATCH_BYTES, BLOCK_BYTES, PART_BLOCKS, ZstdStream } from './zstd.ts'

const MAGIC = 0xfd2fb528
/** `0x184D2A50` … `0x184D2A5F`: a frame without content. */
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5
export const isZstd = (magic: number): boolean => magic === MAGIC || isSkippable(magic)

/** What RFC 8878 asks every decoder to support. */
const MAX_WINDOW = 8 * 1024 * 1024
/** Logs shrink to a tenth or so. Text beyond this ratio, once there is much of it, is an attack. */
const MAX_RATIO = 1000
const MUCH_TEXT = 256 * 1024 * 1024
const CHECKSUM_BYTES = 4
const NEWLINE = 0x0a
const RLE = 1
const RESERVED = 3

/** Text of the log, alone in its buffer, or an issue that belongs at this place. */
export type Piece = Uint8Array<ArrayBuffer> | FrameIssue

export interface FrameIssue {
  readonly code: string
  readonly offset: number
  readonly text: string
  readonly harness: Issue['harness']
}

/** A frame that breaks the format. */
class BadFrame extends Error {}

interface Frame {
  readonly checksum: boolean
}

/** A whole frame, or as many blocks of it as are decoded at once: one huge frame needs no more memory than many small ones. */
interface Part {
  readonly frame: Frame
  readonly bytes: number
  readonly isLast: boolean
}

/** Decodes the frames of `input` in order. Stopped between two frames, another decoder can go on there. */
export class FrameDecoder {
  readonly #input: ByteReader
  readonly #stream = new ZstdStream()
  readonly #rooms: ArrayBuffer[] = []
  #textBytes: number
  /** Where the frame at hand begins. */
  #offset = 0
  /** It, when some of its parts were decoded. */
  #begun: Frame | null = null
  /** Its bytes to come, when it is skippable. */
  #skip = 0
  /** Of the text of the frame at hand; a frame without text lacks no line break. */
  #lastByte: number | undefined = NEWLINE
  /** Nothing follows what is held. */
  #ended = false
  #over = false

  /** `textBytes`: what was decoded of this log before. */
  constructor(input: ByteReader, textBytes = 0) {
    this.#input = input
    this.#textBytes = textBytes
  }

  /** Nothing more will be read. */
  get isOver(): boolean {
    return this.#over
  }

  /** Bytes of text so far. */
  get textBytes(): number {
    return this.#textBytes
  }

  /** Gives a buffer back: texts of megabytes that wait for the garbage collector are most of a process's memory. */
  reuse(room: ArrayBuffer): void {
    this.#rooms.push(room)
  }

  /** A torn last frame gives its complete blocks; after structural damage nothing more is read. `stop` is asked between frames. */
  async *pieces(stop: () => boolean): AsyncGenerator<Piece> {
    // A log's header, in a frame of its own, does not wait for rows.
    let batch = 1
    try {
      while (!this.#over && !(this.#isBetween && stop())) {
        const pieces: Piece[] = []
        const need = this.#decodeHeld(pieces, batch)
        yield* pieces
        if (need > 0) this.#ended = !(await this.#input.has(need))
        batch = BATCH_BYTES
      }
    } finally {
      this.#stream.close()
    }
  }

  get #isBetween(): boolean {
    return this.#begun === null && this.#skip === 0
  }

  /** Goes on until there is a batch of text or an issue, or so many bytes must be held as it returns. */
  #decodeHeld(pieces: Piece[], batch: number): number {
    let need = 0
    while (need === 0 && pieces.length === 0 && !this.#over && this.#stream.waiting < batch) need = this.#decodeNext(pieces)
    this.#flush(pieces)
    return need
  }

  #decodeNext(pieces: Piece[]): number {
    const input = this.#input
    if (this.#skip > 0) this.#skip -= input.take(this.#skip).length
    const { held } = input
    if (this.#isBetween) this.#offset = input.offset
    try {
      const next = this.#skip > 0 ? 1 : this.#begun ? partIn(held, 0, this.#begun) : frameIn(held)
      if (typeof next !== 'number') {
        if ('skip' in next) this.#skip = next.skip
        else this.#decode(next, pieces)
      } else if (this.#ended) this.#end(pieces)
      else return next
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      this.#tell(pieces, 'bad-frame', `This zstd frame is damaged: ${error.message}. Nothing after it can be read.`, 'refuse')
      this.#over = true
    }
    return 0
  }

  #decode({ frame, bytes, isLast }: Part, pieces: Piece[]): void {
    const stream = this.#stream
    const start = stream.waiting
    const isWhole = isLast && this.#begun === null
    const part = this.#input.take(bytes)
    // A long frame's text is told before its checksum is known; its last part is no exception.
    const blocks = isLast && !isWhole && frame.checksum ? bytes - CHECKSUM_BYTES : bytes
    let pushed = stream.push(part.subarray(0, blocks))
    if (blocks < bytes && pushed === 'frame-goes-on') pushed = stream.push(part.subarray(blocks))
    if (isWhole && (pushed === 'bad-block' || pushed === 'bad-checksum')) {
      // Where it ends is known, so the next one can be read.
      const [code, what] = pushed === 'bad-block' ? ['bad-frame', 'A block of this zstd frame cannot be decompressed'] : ['bad-checksum', 'The checksum of this zstd frame is wrong']
      this.#tell(pieces, code, `${what}; its text is left out.`, 'refuse')
      return
    }
    if (pushed === 'bad-block' || (pushed === 'frame-goes-on') === isLast) throw new BadFrame('a block cannot be decompressed')
    this.#textBytes += stream.waiting - start
    if (this.#textBytes > MUCH_TEXT && this.#textBytes > this.#input.offset * MAX_RATIO) {
      this.#take(start)
      this.#tell(pieces, 'bad-frame', 'These zstd frames unfold to far more than a log would; nothing more is read.', 'accept')
      this.#over = true
      return
    }
    this.#lastByte = stream.waiting > start ? stream.lastByte : this.#begun ? this.#lastByte : NEWLINE
    this.#begun = isLast ? null : frame
    if (pushed === 'bad-checksum') this.#tell(pieces, pushed, 'The checksum of this zstd frame is wrong; its text may be wrong.', 'refuse', start)
    else if (isLast && this.#lastByte !== NEWLINE) this.#tell(pieces, 'unterminated-frame', 'The text of this zstd frame does not end with a line break.', 'refuse', start)
  }

  /** Nothing comes after what is held: the log is over, or its last frame is torn. */
  #end(pieces: Piece[]): void {
    this.#over = true
    const { held } = this.#input
    if (this.#isBetween && held.length === 0) return
    // Of a few bytes nothing is known, not even that they begin a frame.
    if (this.#skip === 0 && (this.#begun || held.length > 4) && this.#stream.push(held) === 'bad-block') throw new BadFrame('a block cannot be decompressed')
    this.#tell(pieces, 'torn-frame', 'The last zstd frame is cut off; its complete lines are used.', 'drop-tail')
  }

  /** An issue stands before the text of its frame, which begins at `start` of what waits: rows and issues come in the order of the log. */
  #tell(pieces: Piece[], code: string, text: string, harness: Issue['harness'], start = this.#stream.waiting): void {
    const own = start < this.#stream.waiting ? [this.#take(start)] : []
    this.#flush(pieces)
    pieces.push({ code, offset: this.#offset, text, harness }, ...own)
  }

  #flush(pieces: Piece[]): void {
    if (this.#stream.waiting > 0) pieces.push(this.#take(0))
  }

  #take(start: number): Uint8Array<ArrayBuffer> {
    return this.#stream.takeFrom(start, this.#rooms.pop())
  }
}

/** A number: so many bytes must be held to know. */
function frameIn(held: Buffer): Part | { readonly skip: number } | number {
  if (held.length < 4) return 4
  const magic = held.readUInt32LE(0)
  if (isSkippable(magic)) return held.length < 8 ? 8 : { skip: 8 + held.readUInt32LE(4) }
  if (magic !== MAGIC) throw new BadFrame('it does not begin with the zstd magic number')
  const descriptor = held[4]
  if (descriptor === undefined) return 5
  if ((descriptor & 0x18) !== 0) throw new BadFrame('a reserved bit is set')
  if ((descriptor & 3) !== 0) throw new BadFrame('it needs a dictionary')
  const single = (descriptor & 0x20) !== 0
  const flag = descriptor >> 6
  const sizeBytes = flag === 0 ? (single ? 1 : 0) : 1 << flag
  const head = 5 + (single ? 0 : 1) + sizeBytes
  if (held.length < head) return head
  const windowByte = held[5] ?? 0
  const window = single ? contentSize(held, head - sizeBytes, sizeBytes) : (1 + (windowByte & 7) / 8) * 2 ** (10 + (windowByte >> 3))
  if (window > MAX_WINDOW) throw new BadFrame(`it needs a window of ${window} bytes`)
  return partIn(held, head, { checksum: (descriptor & 4) !== 0 })
}

function contentSize(held: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(held.readBigUInt64LE(at))
  return held.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0)
}

/** The part that begins or, with its next block at `at`, goes on in what is held. */
function partIn(held: Buffer, at: number, frame: Frame): Part | number {
  let end = at
  for (let blocks = 1; ; blocks += 1) {
    if (held.length < end + 3) return end + 3
    const block = held.readUIntLE(end, 3)
    const type = (block >> 1) & 3
    const size = block >> 3
    if (type === RESERVED) throw new BadFrame('it has a block of the reserved type')
    if (size > BLOCK_BYTES) throw new BadFrame('it has a block of more than 128 KiB')
    end += 3 + (type === RLE ? 1 : size)
    if (held.length < end) return end
    if ((block & 1) === 1) {
      if (frame.checksum) end += CHECKSUM_BYTES
      return held.length < end ? end : { frame, bytes: end, isLast: true }
    }
    if (blocks === PART_BLOCKS) return { frame, bytes: end, isLast: false }
  }
}
