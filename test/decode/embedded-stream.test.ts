import { describe, expect, it } from 'vitest'
import { withoutStream } from '../../src/decode/embedded-stream.ts'

const cut = (row: unknown): unknown => {
  const bytes = Buffer.from(`x${JSON.stringify(row)}\n`)
  const text = withoutStream(bytes, 1, bytes.length - 1)
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return 'not JSON'
  }
}
const stream = [{ type: 'text-chunks', time0: 1, index: 0, dt: [], texts: ['a",]}}', ',"stream":['] }]
const message = { content: [{ type: 'text', text: 'he said ,"stream":[ ]}}' }] }

describe('the embedded stream', () => {
  it('is cut out where it ends the payload', () => {
    const reply = (last: unknown): unknown => ({ type: 'assistant/message', seq: 1, time: 2, data: { turn: 1, message, stream: last }, surfaceOp: 'append' })
    expect(cut(reply(stream))).toEqual(reply([]))
    const attempt = (last: unknown): unknown => ({ type: 'assistant/attempt', seq: 1, time: 2, data: { turn: 1, step: 1, stream: last } })
    expect(cut(attempt(stream))).toEqual(attempt([]))
  })

  it.each([
    ['is not last', { type: 'assistant/message', data: { stream, message }, surfaceOp: 'append' }],
    ['is followed by more of the envelope', { type: 'assistant/message', data: { message, stream }, surfaceOp: 'append', seq: 1 }],
    ['is not there', { type: 'assistant/message', data: { message }, surfaceOp: 'append' }],
    ['is in a row that begins otherwise', { seq: 1, type: 'assistant/message', data: { message, stream }, surfaceOp: 'append' }],
  ])('stays when it %s', (_, row) => {
    expect(cut(row)).toBeNull()
  })

  it('is no JSON any more when the key was a deeper one', () => {
    expect(cut({ type: 'assistant/message', data: { message: { x: 1, stream: [1] }, more: [2] }, surfaceOp: 'append' })).toBe('not JSON')
  })
})
