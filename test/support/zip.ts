import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'

/** A zip archive of stored (not compressed) entries. Names are written as given, so that a test can write bad ones. */
export function zip(entries: { readonly [name: string]: Uint8Array | string }): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content)
    const fields = [20, 0x0800, 0, 0, 0x21]
    const sizes = [crc32(bytes), bytes.length, bytes.length]
    const nameBytes = Buffer.from(name)
    const file = Buffer.concat([u32(0x04034b50), ...fields.map(u16), ...sizes.map(u32), u16(nameBytes.length), u16(0), nameBytes, bytes])
    directory.push(u32(0x02014b50), u16(20), ...fields.map(u16), ...sizes.map(u32), u16(nameBytes.length), ...[0, 0, 0, 0].map(u16), u32(0), u32(offset), nameBytes)
    files.push(file)
    offset += file.length
  }
  const size = directory.reduce((n, part) => n + part.length, 0)
  const count = Object.keys(entries).length
  return Buffer.concat([...files, ...directory, u32(0x06054b50), u16(0), u16(0), u16(count), u16(count), u32(size), u32(offset), u16(0)])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value >>> 0)
  return bytes
}
