import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decoded, headerRow, jsonl } from '../support/decoded.ts'
import { canEncode, encodedFrame, zstdFrame } from '../support/zstd.ts'

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

  it('tell issues where they stand among the rows', async () => {
    const unterminated = turns(1, 1).slice(0, -1)
    const { issues } = await decoded(await frames(header, turns(0, 1), 'no row\n', unterminated, '\n'))
    expect(issues.map((issue) => `${issue.code} ${issue.harness}`)).toEqual(['unterminated-frame not-read', 'unparsable-line drop-tail'])
  })

  it('may be empty, which lacks nothing', async () => {
    expect(await told(await frames(header, '', turns(0, 1), '', turns(1, 1), ''))).toEqual({ events: 2, issues: [] })
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

/** Lines that do not shrink to nothing. */
const noise = (seq: number): string => Array.from({ length: 64 }, (_, i) => createHash('sha256').update(`${seq} ${i}`).digest('hex')).join('')
const noisy = (first: number, count: number): string =>
  jsonl(Array.from({ length: count }, (_, i) => ({ type: 'todo/write', seq: first + i, time: 1, data: { todos: [{ content: noise(first + i), status: 'pending' }] } })))

describe.skipIf(!canEncode)('frames of a real encoder', () => {
  // The last one is longer than what is decoded at once.
  it.each([1, 50, 2500])('decode to the same events as the text: %i rows', async (count) => {
    const plain = await decoded(header + noisy(0, count))
    expect(await decoded(Buffer.concat([encodedFrame(header), encodedFrame(noisy(0, count))]))).toEqual(plain)
  })

  it('may come in any chunks', async () => {
    const bytes = Buffer.concat([encodedFrame(header), ...Array.from({ length: 30 }, (_, i) => encodedFrame(noisy(i * 2, 2)))])
    const whole = await decoded(bytes)
    expect(whole.events).toHaveLength(60)
    for (const size of [1, 7, 1000, 4096]) {
      expect(await decoded(Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)))).toEqual(whole)
    }
  })

  it('give the rows of the complete blocks of a torn frame', async () => {
    const head = encodedFrame(header)
    const last = encodedFrame(noisy(0, 100))
    const seen: number[] = []
    for (let cut = 3; cut < last.length; cut += 9973) {
      const { events, issues } = await decoded(Buffer.concat([head, last.subarray(0, cut)]))
      expect(issues.map((issue) => [issue.code, issue.offset, issue.harness])).toEqual([['torn-frame', head.length, 'drop-tail']])
      seen.push(events.length)
    }
    // A row has 4 kB, a block 128 kB at most; encoders differ in where they end one.
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBeGreaterThan(60)
    expect(new Set(seen).size).toBeGreaterThan(2)
  })

  it('are left out when a block is damaged, and no other is', async () => {
    const [head, damaged, rest] = [encodedFrame(header), encodedFrame(noisy(0, 2)), encodedFrame(noisy(2, 2))]
    // The head of the literals: their size is not that of the block.
    damaged.fill(0xff, 12, 16)
    expect(await told(Buffer.concat([head, damaged, rest]))).toEqual({ events: 2, issues: [`bad-frame ${head.length} refuse`, 'sequence-gap null drop-tail'] })
  })

  it('have a wrong checksum told when their text is told already', async () => {
    const head = encodedFrame(header)
    const long = encodedFrame(noisy(0, 2500))
    long[long.length - 1] = (long.at(-1) ?? 0) ^ 1
    expect(await told(Buffer.concat([head, long, encodedFrame(noisy(2500, 1))]))).toEqual({ events: 2501, issues: [`bad-checksum ${head.length} refuse`] })
  })
})
