import { Buffer } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import zlib from 'node:zlib'
import xxhash from 'xxhash-wasm'

/** Whether there is an encoder here: Node has one from 22.15 on; before, the `zstd` command serves where it is installed. */
export const canEncode = Reflect.has(zlib, 'zstdCompressSync') || spawnSync('zstd', ['--version']).status === 0

/** One frame of a real encoder, with checksum. */
export function encodedFrame(text: string): Buffer {
  const encoder: unknown = Reflect.get(zlib, 'zstdCompressSync')
  if (typeof encoder !== 'function') return spawnSync('zstd', ['-q', '-c', '-3'], { input: text, maxBuffer: 1 << 28 }).stdout
  // ZSTD_c_checksumFlag, as the harness sets it.
  const bytes: unknown = encoder(text, { params: { 201: 1 } })
  return bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0)
}

/** One zstd frame of stored (not compressed) blocks, with size and checksum, as RFC 8878 lays it out. */
export async function zstdFrame(text: string, { blockSize = 128 * 1024 }: { readonly blockSize?: number } = {}): Promise<Buffer> {
  const content = Buffer.from(text)
  // Content size in four bytes, single segment, checksum; longer texts have no size, but a window of 8 MiB.
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...(content.length > 8 << 20 ? [0b0000_0100, 0x68] : [0b1010_0100, 0, 0, 0, 0])])
  if (content.length <= 8 << 20) head.writeUInt32LE(content.length, 5)
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
