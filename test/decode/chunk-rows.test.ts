import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader, type ChunkRow } from '../../src/decode/chunk-rows.ts'

const chunks = new ChunkReader()
const read = (text: string): Omit<ChunkRow, 'end'> | null => {
  // Neighbours prove that nothing outside the row is looked at, whether its end is known or its line break has to tell.
  const bytes = Buffer.from(`"}}}\n${text}\n{"type":"text-chunks"}}}\n`)
  const end = 5 + Buffer.byteLength(text)
  const known = chunks.row(bytes, 5, end)
  expect(chunks.row(bytes, 5, bytes.length)).toEqual(known)
  if (known) expect(known.end).toBe(end)
  const { end: _end, ...row } = known ?? { end }
  return 'seq' in row ? row : null
}
const text = { type: 'text-chunks', seq0: 7, time0: 50, data: { turn: 1, step: 2, index: 0, dt: [12, -1], texts: ['Hel', 'l"o\\', 'é\n'] } }
const call = { type: 'tool-call-chunks', seq0: 7, time0: 50, data: { turn: 1, step: 2, index: 0, dt: [], id: 'c', name: 'read', args: ['{'] } }
const single = { type: 'assistant/chunk', seq: 3, time: 40, data: { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'x' } } }

describe('chunk rows', () => {
  it('are read without being parsed', () => {
    expect(read(JSON.stringify(single))).toEqual({ seq: 3, time: 40, members: 1, toolCall: false })
    expect(read(JSON.stringify(text))).toEqual({ seq: 7, time: 50, members: 3, toolCall: false })
    expect(read(JSON.stringify(call))).toEqual({ seq: 7, time: 50, members: 1, toolCall: true })
    const delta = { ...single, data: { ...single.data, chunk: { type: 'tool-call-delta', index: 0, id: 'c', argumentsDelta: '{' } } }
    expect(read(JSON.stringify(delta))?.toolCall).toBe(true)
  })

  it.each([
    ['a member too many', { ...text, data: { ...text.data, dt: [1] } }],
    ['no member', { ...text, data: { ...text.data, dt: [], texts: [] } }],
    ['a member that is no string', { ...text, data: { ...text.data, texts: ['a', 1, 'b'] } }],
    ['a gap that is no integer', { ...text, data: { ...text.data, dt: [1.5, 2] } }],
    ['another key in the payload', { ...text, data: { ...text.data, more: 1 } }],
    ['another key in the row', { ...text, ignorable: true }],
    ['another key order', { data: text.data, type: text.type, seq0: 7, time0: 50 }],
    ['an unsafe seq', { ...text, seq0: 1e17 }],
    ['another type', { ...single, type: 'assistant/chunks' }],
  ])('with %s are left to the parser', (_, row) => {
    expect(read(JSON.stringify(row))).toBeNull()
  })

  it('that stop anywhere are left to the parser', () => {
    for (const row of [text, call, single]) {
      const whole = JSON.stringify(row)
      for (let end = 0; end < whole.length - 1; end += 1) expect(read(whole.slice(0, end))).toBeNull()
    }
  })

  it('are told apart one after the other', () => {
    const like = (data: object): string => JSON.stringify({ ...single, data: { ...single.data, ...data } })
    const delta = (type: string): string => like({ chunk: { type, index: 0, text: 'tool-call-delta"' } })
    const none = like({ chunk: { index: 0, type: 'tool-call-delta' } })
    for (const [row, toolCall] of [
      [delta('text-delta'), false], [delta('tool-call-delta'), true], [delta('text-delta'), false], [delta('tool-call-delta-x'), false], [delta('tool-call-delta'), true],
      [none, null], [like({ step: 12 }), false], [like({ turn: -1 }), null], [delta('a\nb'), false],
    ] as const) expect(read(row)?.toolCall ?? null).toBe(toolCall)
  })

  it('are told apart after one whose kind could not be taken', () => {
    const like = (type: string): string => JSON.stringify({ ...single, data: { ...single.data, chunk: { type } } })
    const toolCall = like('tool-call-delta')
    for (const odd of [like('k'.repeat(120)), like('text-delta').slice(0, -8)]) {
      expect(read(toolCall)?.toolCall).toBe(true)
      read(odd)
      expect(read(toolCall)?.toolCall).toBe(true)
    }
  })

  it('do not run over a line break', () => {
    const row = JSON.stringify(text)
    for (const [from, to] of [['l\\"o', 'l\\\no'], ['Hel', 'H\nl'], ['[12,', '[12,\n'], ['"seq0":7', '"seq0":\n7']] as const) {
      expect(row).toContain(from)
      expect(read(row.replace(from, to))).toBeNull()
    }
  })

  it('count the members that JSON.parse would find, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
        const row = { ...text, data: { ...text.data, dt: texts.slice(1).map((_, i) => i - 2), texts } }
        expect(read(JSON.stringify(row))?.members).toBe(texts.length)
      }),
    )
  })
})

describe('rows of a step', () => {
  const step = (line: string): unknown => {
    const bytes = Buffer.from(`x${line}\n`)
    return chunks.step(bytes, 1, bytes.length - 1)
  }
  const row = { type: 'step/start', seq: 12, time: 1_780_000_000_040, data: { turn: 3, step: 0 } }

  it('are read as the JSON parser would read them', () => {
    for (const same of [row, { ...row, type: 'step/end' }]) expect(step(JSON.stringify(same))).toEqual(same)
  })

  it.each([
    ['another type', JSON.stringify({ ...row, type: 'turn/start' })],
    ['another key', JSON.stringify({ ...row, ignorable: true })],
    ['another key in the payload', JSON.stringify({ ...row, data: { ...row.data, more: 1 } })],
    ['a negative turn', JSON.stringify({ ...row, data: { turn: -1, step: 0 } })],
    ['a fraction', JSON.stringify({ ...row, data: { turn: 1, step: 1.5 } })],
    ['an exponent', JSON.stringify(row).replace('"turn":3', '"turn":3e1')],
    ['a number that JSON does not have', JSON.stringify(row).replace('"turn":3', '"turn":03')],
    ['a space', JSON.stringify(row).replace('"step":0', '"step": 0')],
    ['a brace too many', `${JSON.stringify(row)}}`],
    ['a brace too few', JSON.stringify(row).slice(0, -1)],
  ])('with %s are left to the parser', (_, line) => {
    expect(step(line)).toBeNull()
  })
})
