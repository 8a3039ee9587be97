import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLog } from '../../src/decode/decode.ts'
import type { LogEvent } from '../../src/decode/event.ts'
import { InputError } from '../../src/errors.ts'
import { chunksOf, decoded, jsonl, type Decoded } from '../support/decoded.ts'
import { log } from '../support/log.ts'
import { zstdFrame } from '../support/zstd.ts'

function script(chunks: 'packed' | 'single' | 'none', format: 0 | 3 | 4 = 0): ReturnType<typeof log> {
  return log({ format, chunks, goal: 'Ship é 𝒳' })
    .round((r) => r.program('return await tools.read({ path: "a" })', (p) => p.returns('A "quoted"\nline')).says('Looked around'))
    .user('Go on', (t) => t.call('read', { path: 'a.txt' }, 'A').says('Done'))
}

/** What must not depend on how a log is stored: streams only by the seqs they cover, everything without line and size. */
function meaning({ events }: Decoded): unknown[] {
  return events.map((event: LogEvent) => {
    if (event.type === 'stream') return { type: event.type, seq: event.seq, lastSeq: event.lastSeq }
    const { line: _line, bytes: _bytes, ...rest } = event
    return rest
  })
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((place, i) => bytes.subarray(places[i], place))
}

const rowsOf = (text: string): string[] => text.split('\n').slice(0, -1)

describe('decoding', () => {
  it('gives a prefix of the events wherever a log is torn', async () => {
    for (const format of [0, 3, 4] as const) {
      const bytes = Buffer.from(script('packed', format).toText())
      const whole = meaning(await decoded(bytes))
      // Every place in the last rows, and some everywhere else.
      for (let end = bytes.indexOf('\n') + 1; end < bytes.length; end += end > bytes.length - 150 ? 1 : 211) {
        const torn = await decoded(bytes.subarray(0, end))
        const events = meaning(torn)
        // A cut run of chunk rows covers less.
        if (torn.events.at(-1)?.type === 'stream') events.pop()
        expect(events).toEqual(whole.slice(0, events.length))
        expect(torn.issues.map((issue) => issue.code)).toEqual(bytes[end - 1] === 0x0a ? [] : ['torn-line'])
      }
    }
  })

  it('does not depend on chunk borders', async () => {
    const bytes = Buffer.from(script('packed').toText())
    const whole = await decoded(bytes)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat()), async (at) => {
        expect(await decoded(cut(bytes, at))).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })

  it('does not depend on frame borders', async () => {
    const rows = rowsOf(script('packed').toText()).map((row) => `${row}\n`)
    const whole = await decoded(rows.join(''))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(rows.length)), fc.integer({ min: 1, max: 300 }), async (borders, blockSize) => {
        const places = [0, ...borders.toSorted((a, b) => a - b), rows.length]
        const batches = places.slice(1).map((end, i) => rows.slice(places[i], end).join('')).filter((text) => text !== '')
        const frames = await Promise.all(batches.map(async (text) => zstdFrame(text, { blockSize })))
        expect(await decoded(Buffer.concat(frames))).toEqual(whole)
      }),
      { numRuns: 30 },
    )
  })

  it('does not depend on how chunk rows are packed', async () => {
    const packed = await decoded(script('packed').toText())
    const single = await decoded(script('single').toText())
    expect(meaning(packed)).toEqual(meaning(single))
    expect(packed.events.some((event) => event.type === 'stream')).toBe(true)
  })

  it('does not depend on key order or spaces', async () => {
    const shuffled = (value: unknown, keys: (names: string[]) => string[]): unknown => {
      if (Array.isArray(value)) return value.map((item) => shuffled(item, keys))
      if (value === null || typeof value !== 'object') return value
      const fields = new Map(Object.entries(value))
      return Object.fromEntries(keys([...fields.keys()]).map((key) => [key, shuffled(fields.get(key), keys)]))
    }
    for (const [chunks, format] of [['packed', 0], ['single', 0], ['none', 3], ['none', 4]] as const) {
      const text = script(chunks, format).toText()
      const whole = meaning(await decoded(text))
      const orders = [(names: string[]) => names.toReversed(), (names: string[]) => names.toSorted()]
      for (const order of orders) {
        const rows = rowsOf(text).map((row) => shuffled(JSON.parse(row), order))
        expect(meaning(await decoded(jsonl(rows)))).toEqual(whole)
        expect(meaning(await decoded(rows.map((row) => `${JSON.stringify(row, null, 1).replaceAll('\n', ' ')}\r\n`).join('')))).toEqual(whole)
      }
    }
  })

  it('never throws anything but an InputError, whatever the bytes', async () => {
    const header = Buffer.from(jsonl([{ type: 'session', version: 0, id: 's', createdAt: 1, delegationDepth: 0 }]))
    const magic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
    const garbage = fc.uint8Array({ maxLength: 200 })
    const row = fc.json().map((text) => Buffer.from(`${text}\n`))
    const event = fc.record({ type: fc.constantFrom('tool/call', 'text-chunks', 'goal/change', 'turn/end', 'user/message'), seq: fc.integer(), time: fc.anything(), data: fc.anything() }, { requiredKeys: [] })
      .map((value) => Buffer.from(`${JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''}\n`))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(header, magic, Buffer.alloc(0)), fc.array(fc.oneof(garbage, row, event), { maxLength: 8 }), async (start, parts) => {
        const sink = { header() {}, event() {}, issue() {} }
        await decodeLog(chunksOf([start, ...parts]), 'a', sink).catch((error: unknown) => {
          expect(error).toBeInstanceOf(InputError)
        })
      }),
      { numRuns: 500 },
    )
  })

  it('never takes a damaged zstd log for a sound one', async () => {
    const rows = rowsOf(script('packed').toText()).map((row) => `${row}\n`)
    const bytes = Buffer.concat(await Promise.all(rows.map(async (row) => zstdFrame(row))))
    const whole = await decoded(bytes)
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ flip
        const read = await decoded(damaged).catch((error: unknown) => {
          expect(error).toBeInstanceOf(InputError)
          return null
        })
        // Some bits have no meaning.
        if (read && read.issues.length === 0) expect(read.events).toEqual(whole.events)
      }),
      { numRuns: 200 },
    )
  })
})
