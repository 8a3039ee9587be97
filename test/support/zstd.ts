import { Buffer } from 'node:buffer'
import xxhash from 'xxhash-wasm'

/** One zstd frame of stored (not compressed) blocks, with size and checksum, as RFC 8878 lays it out. */
export async function zstdFrame(text: string, { blockSize = 128 * 1024 }: { readonly blockSize?: number } = {}): Promise<Buffer> {
  const content = Buffer.from(text)
  const head = Buffer.alloc(9)
  head.writeUInt32LE(0xfd2fb528, 0)
  // Content size in four bytes, single segment, checksum.
  head.writeUInt8(0b1010_0100, 4)
  head.writeUInt32LE(content.length, 5)
  const parts = [head]
  for (let at = 0; at === 0 || at < content.length; at += blockSize) {
    const block = content.subarray(at, at + blockSize)
    const isLast = at + blockSize >= content.length
    const blockHead = Buffer.alloc(3)
    blockHead.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3)
    parts.push(blockHead, block)
  }
  const hasher = await xxhash()
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(Number(hasher.h64Raw(content) & 0xffff_ffffn), 0)
  return Buffer.concat([...parts, checksum])
}

/** A log as the harness compresses it: the header in a frame of its own, then one frame per batch of rows. */
export async function zstdLog(text: string, rowsPerFrame = 8): Promise<Buffer> {
  const lines = text.split('\n').slice(0, -1).map((line) => `${line}\n`)
  const batches = [lines.slice(0, 1)]
  for (let at = 1; at < lines.length; at += rowsPerFrame) batches.push(lines.slice(at, at + rowsPerFrame))
  return Buffer.concat(await Promise.all(batches.map(async (batch) => zstdFrame(batch.join('')))))
}
