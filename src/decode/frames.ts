/**
 * Zstandard, frame by frame. The harness appends every batch as a frame of its own; decoders for whole files stop after
 * the first frame or fail at a torn last one, so frames are found here by their structure (RFC 8878) before any is decoded.
 */
import * as zlib from 'node:zlib'
import { Decompress } from 'fzstd'
import xxhash, { type XXHash, type XXHashAPI } from 'xxhash-wasm'
import type { ByteReader } from './byte-reader.ts'
import type { IssueLog } from './issues.ts'

const MAGIC = 0xfd2fb528
/** `0x184D2A50` … `0x184D2A5F`: a frame without content. */
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5
export const isZstd = (magic: number): boolean => magic === MAGIC || isSkippable(magic)

/** A block has at most 128 KiB of text. Longer frames are decoded in parts of so many blocks, so that one huge frame needs no more memory than many small ones. */
const BLOCK_TEXT = 128 * 1024
const PART_BLOCKS = 64
/** What RFC 8878 asks every decoder to support; the portable one moves a whole window for every block. */
const MAX_WINDOW = 8 * 1024 * 1024
/** Logs shrink to a tenth or so. Text beyond this ratio, once there is much of it, is an attack. */
const MAX_RATIO = 1000
const MUCH_TEXT = 256 * 1024 * 1024
const HEADER_MAX = 18
const NEWLINE = 0x0a
const RAW = 0
const RLE = 1
const RESERVED = 3

type Native = (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
/** Node has it from 22.15 on; it checks sizes and checksums itself. */
const native = (zlib as { zstdDecompressSync?: Native }).zstdDecompressSync

let hashes: Promise<XXHashAPI> | null = null

/** A frame that breaks the format. */
class BadFrame extends Error {}

/** Decodes to the text of the log. A torn last frame gives its complete blocks; after structural damage nothing more is read. */
export async function* decodeFrames(input: ByteReader, issues: IssueLog): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const text of framesIn(input, issues)) {
    bytes += text.length
    if (bytes > MUCH_TEXT && bytes > input.offset * MAX_RATIO) {
      issues.add('bad-frame', { offset: input.offset }, 'These zstd frames unfold to far more than a log would; nothing more is read.', 'accept')
      return
    }
    yield text
  }
}

async function* framesIn(input: ByteReader, issues: IssueLog): AsyncGenerator<Uint8Array> {
  hashes ??= xxhash()
  const hash = await hashes
  while (await input.has(1)) {
    const offset = input.offset
    try {
      if (!(yield* decodeFrame(input, hash, issues))) return
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error
      issues.add('bad-frame', { offset }, `This zstd frame is damaged: ${error.message}. Nothing after it can be read.`, 'refuse')
      return
    }
  }
}

/** Returns whether the frame was complete. */
async function* decodeFrame(input: ByteReader, hash: XXHashAPI, issues: IssueLog): AsyncGenerator<Uint8Array, boolean> {
  const offset = input.offset
  const torn = (): false => {
    issues.add('torn-frame', { offset }, 'The last zstd frame is cut off; its complete lines are used.', 'drop-tail')
    return false
  }
  if (!(await input.has(4))) return torn()
  const magic = input.held.readUInt32LE(0)
  if (isSkippable(magic)) {
    return ((await input.has(8)) && (await input.skip(8 + input.held.readUInt32LE(4)))) || torn()
  }
  if (magic !== MAGIC) throw new BadFrame('it does not begin with the zstd magic number')
  await input.has(HEADER_MAX)
  const header = frameHeader(input.held)
  if (!header) return torn()

  const blocks = new BlockDecoder(hash)
  let at = header.size
  let waiting = 0
  let last = false
  while (!last) {
    if (!(await input.has(at + 3))) {
      yield* blocks.text(input.take(at))
      return torn()
    }
    const block = input.held.readUIntLE(at, 3)
    const type = (block >> 1) & 3
    const size = block >> 3
    if (type === RESERVED) throw new BadFrame('it has a block of the reserved type')
    if (size > BLOCK_TEXT) throw new BadFrame('it has a block of more than 128 KiB')
    last = (block & 1) === 1
    const next = at + 3 + (type === RLE ? 1 : size)
    if (!(await input.has(next))) {
      yield* blocks.text(input.take(at))
      if (type === RAW) yield input.held.subarray(3)
      return torn()
    }
    at = next
    waiting += 1
    if (waiting === PART_BLOCKS && !last) {
      yield* blocks.text(input.take(at))
      at = 0
      waiting = 0
    }
  }
  if (header.checksum && !(await input.has(at + 4))) {
    yield* blocks.text(input.take(at))
    return torn()
  }
  const end = input.take(at + (header.checksum ? 4 : 0))
  const text = blocks.started ? null : decodeNatively(end)
  if (text) {
    if (text.at(-1) !== NEWLINE) issues.add('unterminated-frame', { offset }, UNTERMINATED, 'refuse')
    yield text
    return true
  }
  const tail = [...blocks.text(end, true)]
  if (header.textSize !== null && header.textSize !== blocks.bytes) throw new BadFrame('its text has not the size that it says')
  if (header.checksum && end.readUInt32LE(at) !== blocks.checksum()) {
    const what = blocks.whole(tail) ? 'its text is left out' : 'its text may be wrong'
    issues.add('bad-checksum', { offset }, `The checksum of this zstd frame is wrong; ${what}.`, 'refuse')
    if (blocks.whole(tail)) return true
  }
  if (blocks.lastByte !== NEWLINE) issues.add('unterminated-frame', { offset }, UNTERMINATED, 'refuse')
  yield* tail
  return true
}

const UNTERMINATED = 'The text of this zstd frame does not end with a line break.'

function decodeNatively(frame: Buffer): Uint8Array | null {
  try {
    return native?.(frame, { maxOutputLength: PART_BLOCKS * BLOCK_TEXT }) ?? null
  } catch {
    // Whatever it did not like, the other decoder finds again and tells the same way on every Node version.
    return null
  }
}

interface FrameHeader {
  /** Bytes of the header itself. */
  readonly size: number
  readonly checksum: boolean
  /** Bytes of the text, where the header says it. */
  readonly textSize: number | null
}

/** Null: cut off. */
function frameHeader(held: Buffer): FrameHeader | null {
  const descriptor = held[4]
  if (descriptor === undefined) return null
  if ((descriptor & 0x18) !== 0) throw new BadFrame('a reserved bit is set')
  if ((descriptor & 3) !== 0) throw new BadFrame('it needs a dictionary')
  const single = (descriptor & 0x20) !== 0
  const flag = descriptor >> 6
  const sizeBytes = flag === 0 ? (single ? 1 : 0) : 1 << flag
  const size = 5 + (single ? 0 : 1) + sizeBytes
  if (held.length < size) return null
  const windowByte = held[5] ?? 0
  const textSize = sizeBytes === 0 ? null : contentSize(held, size - sizeBytes, sizeBytes)
  const window = single ? (textSize ?? 0) : (1 + (windowByte & 7) / 8) * 2 ** (10 + (windowByte >> 3))
  if (window > MAX_WINDOW) throw new BadFrame(`it needs a window of ${window} bytes`)
  return { size, checksum: (descriptor & 4) !== 0, textSize }
}

function contentSize(held: Buffer, at: number, bytes: number): number {
  if (bytes === 8) return Number(held.readBigUInt64LE(at))
  return held.readUIntLE(at, bytes) + (bytes === 2 ? 256 : 0)
}

/** One frame, fed in pieces that end at block borders. */
class BlockDecoder {
  readonly #decoder: Decompress
  readonly #sum: XXHash<bigint>
  #out: Uint8Array[] = []
  /** Of the text so far. */
  bytes = 0
  started = false
  lastByte: number | null = null

  constructor(hash: XXHashAPI) {
    this.#sum = hash.create64()
    this.#decoder = new Decompress((part) => {
      if (part.length === 0) return
      this.#sum.update(part)
      this.bytes += part.length
      this.lastByte = part.at(-1) ?? null
      this.#out.push(part)
    })
  }

  /** `final`: the frame ends here, checksum included. Without it a frame of a few bytes is waited for, not decoded. */
  *text(blocks: Uint8Array, final = false): Generator<Uint8Array> {
    this.started = true
    try {
      this.#decoder.push(blocks, final)
    } catch (error) {
      throw new BadFrame('a block cannot be decompressed', { cause: error })
    }
    const out = this.#out
    this.#out = []
    yield* out
  }

  /** Whether these pieces are all that the frame has given. */
  whole(pieces: readonly Uint8Array[]): boolean {
    return this.bytes === pieces.reduce((sum, piece) => sum + piece.length, 0)
  }

  checksum(): number {
    return Number(this.#sum.digest() & 0xffffffffn)
  }
}
