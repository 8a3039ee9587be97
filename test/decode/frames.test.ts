import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decoded, headerRow, jsonl } from '../support/decoded.ts'
import { zstdFrame } from '../support/zstd.ts'

const header = jsonl([headerRow(0)])
const turns = (first: number, count: number): string =>
  jsonl(Array.from({ length: count }, (_, i) => ({ type: 'todo/write', seq: first + i, time: 1, data: { todos: [{ content: `item ${i}`, status: 'pending' }] } })))
const frames = async (...texts: readonly string[]): Promise<Buffer> => Buffer.concat(await Promise.all(texts.map(async (text) => zstdFrame(text))))
const told = async (bytes: Uint8Array): Promise<unknown> => {
  const { events, issues } = await decoded(bytes)
  return { events: events.length, issues: issues.map((issue) => `${issue.code} ${issue.offset} ${issue.harness}`) }
}

describe('zstd logs', () => {
  it('are read frame after frame', async () => {
    expect(await told(await frames(header, turns(0, 3), turns(3, 2)))).toEqual({ events: 5, issues: [] })
  })

  it('may hold skippable frames', async () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])
    expect(await told(Buffer.concat([skippable, await frames(header), skippable, await frames(turns(0, 2))]))).toEqual({ events: 2, issues: [] })
  })

  it('end with the complete lines of a torn frame, wherever it is cut', async () => {
    const head = await frames(header, turns(0, 2))
    const last = await zstdFrame(turns(2, 4), { blockSize: 40 })
    let before = 2
    for (let cut = 1; cut < last.length; cut += 1) {
      const { events, issues } = await decoded(Buffer.concat([head, last.subarray(0, cut)]))
      expect(issues.map((issue) => [issue.code, issue.offset, issue.harness])).toEqual([['torn-frame', head.length, 'drop-tail']])
      expect(events.length).toBeGreaterThanOrEqual(before)
      before = events.length
    }
    expect(before).toBe(6)
  })

  it('lose a frame whose checksum is wrong, and no other', async () => {
    const [head, damaged, rest] = [await frames(header), await frames(turns(0, 2)), await frames(turns(2, 2))]
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
    expect(await told(Buffer.concat([head, damaged, rest]))).toEqual({ events: 2, issues: [`bad-checksum ${head.length} refuse`, 'sequence-gap null drop-tail'] })
  })

  it('end where the structure is damaged', async () => {
    const head = await frames(header, turns(0, 2))
    const damaged = [
      Buffer.from('no frame at all, but text'),
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x08, 0x38, 1, 0, 0]),
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x38, 7, 1, 0, 0]),
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38, 7, 0, 0]),
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 1, 0, 0]),
    ]
    for (const bytes of damaged) {
      expect(await told(Buffer.concat([head, bytes, await frames(turns(2, 1))]))).toEqual({ events: 2, issues: [`bad-frame ${head.length} refuse`] })
    }
  })

  it('may have rows that run on in the next frame, which the harness refuses', async () => {
    const text = turns(0, 2)
    const bytes = await frames(header, text.slice(0, 50), text.slice(50))
    expect(await told(bytes)).toEqual({ events: 2, issues: [`unterminated-frame ${(await frames(header)).length} refuse`] })
  })

  it('may be one huge frame', async () => {
    const text = header + turns(0, 12_000)
    const bytes = await zstdFrame(text, { blockSize: 4096 })
    expect(Buffer.byteLength(text) / 4096).toBeGreaterThan(3 * 64)
    expect(await told(bytes)).toEqual({ events: 12_000, issues: [] })
  })
})

/** Node has an encoder from 22.15 on; before, the `zstd` command serves where it is installed. */
function encode(text: string): Buffer {
  const encoder: unknown = Reflect.get(zlib, 'zstdCompressSync')
  if (typeof encoder !== 'function') return spawnSync('zstd', ['-q', '-c', '-3'], { input: text, maxBuffer: 1 << 28 }).stdout
  const bytes: unknown = encoder(text)
  return bytes instanceof Uint8Array ? Buffer.from(bytes) : Buffer.alloc(0)
}
const canEncode = Reflect.has(zlib, 'zstdCompressSync') || spawnSync('zstd', ['--version']).status === 0

describe.skipIf(!canEncode)('frames of a real encoder', () => {
  it('decode to the same events as the text, small or huge', async () => {
    // Texts that do not shrink to nothing; the last one is longer than what is decoded at once.
    const hashes = (seq: number): string => Array.from({ length: 64 }, (_, i) => createHash('sha256').update(`${seq} ${i}`).digest('hex')).join('')
    for (const count of [1, 50, 2500]) {
      const text = jsonl(Array.from({ length: count }, (_, seq) => ({ type: 'todo/write', seq, time: 1, data: { todos: [{ content: hashes(seq), status: 'pending' }] } })))
      const plain = await decoded(header + text)
      const packed = await decoded(Buffer.concat([encode(header), encode(text)]))
      expect(packed).toEqual(plain)
    }
  })
})
