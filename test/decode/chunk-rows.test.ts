import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkRow } from '../../src/decode/chunk-rows.ts'

const read = (text: string): ReturnType<typeof chunkRow> => {
  // Neighbours prove that nothing outside the range is looked at.
  const bytes = Buffer.from(`"}}}\n${text}\n{"type":"text-chunks"`)
  return chunkRow(bytes, 5, 5 + Buffer.byteLength(text))
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

  it('count the members that JSON.parse would find, whatever the texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (texts) => {
        const row = { ...text, data: { ...text.data, dt: texts.slice(1).map((_, i) => i - 2), texts } }
        expect(read(JSON.stringify(row))?.members).toBe(texts.length)
      }),
    )
  })
})
