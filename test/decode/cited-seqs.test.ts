import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withRuns } from '../../src/decode/cited-seqs.ts'
import { isRecord, tryJson } from '../../src/model/canonical.ts'

const short = (row: unknown): string | null => {
  const bytes = Buffer.from(`x${typeof row === 'string' ? row : JSON.stringify(row)}\n`)
  return withRuns(bytes, 1, bytes.length - 1)
}
const reply = (sourceEventSeqs: unknown): { readonly [key: string]: unknown } =>
  ({ type: 'assistant/message', seq: 900, time: 2, data: { content: [{ type: 'text', text: ',"sourceEventSeqs":[1]' }] }, sourceEventSeqs, surfaceOp: 'append' })

describe('the list of chunks in a reply', () => {
  it('is shortened to its runs', () => {
    expect(tryJson(short(reply([5, 6, 7, 9, 3, 4, 4])) ?? '')).toEqual(reply([[5, 7], [9, 9], [3, 4], [4, 4]]))
    expect(tryJson(short(reply([998, 999, 1000, 1001, 12_344, 12_345, 22_346, 22_345])) ?? '')).toEqual(reply([[998, 1001], [12_344, 12_345], [22_346, 22_346], [22_345, 22_345]]))
  })

  it('may have a number that begins like the next one', () => {
    expect(tryJson(short(reply([161, 162, 1630, 1631, 16_325])) ?? '')).toEqual(reply([[161, 162], [1630, 1631], [16_325, 16_325]]))
  })

  it('names the same seqs in the same order', () => {
    const lists = fc.array(fc.tuple(fc.oneof(fc.nat(2000), fc.nat(999_999_900)), fc.nat(30)), { minLength: 1 }).map((runs) => runs.flatMap(([first, more]) => Array.from({ length: more + 1 }, (_, i) => first + i)))
    fc.assert(fc.property(lists, (seqs) => {
      const row = tryJson(short(reply(seqs)) ?? '')
      const runs: unknown = isRecord(row) ? row['sourceEventSeqs'] : null
      const named = Array.isArray(runs) ? runs.flatMap((run: unknown) => {
        const [first, last]: readonly unknown[] = Array.isArray(run) ? run : []
        return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i)
      }) : null
      expect(named).toEqual(seqs)
    }))
  })

  it.each([
    ['is empty', reply([])],
    ['has runs already', reply([[1, 2]])],
    ['has something else in it', reply([1, '2'])],
    ['has a negative number', reply([-1])],
    ['has a number that JSON does not have', JSON.stringify(reply([7])).replace('[7]', '[07]')],
    ['has a hole', JSON.stringify(reply([7])).replace('[7]', '[7,,8]')],
    ['has a hole in a run', JSON.stringify(reply([1234, 1235])).replace('1234,', '1234,,')],
    ['has something like the digit after 9', JSON.stringify(reply([12_338, 12_339])).replace('12339', '12339,1233:')],
    ['ends with a comma', JSON.stringify(reply([7])).replace('[7]', '[7,]')],
    ['has a space', JSON.stringify(reply([7])).replace('[7]', '[ 7]')],
    ['is not there', { type: 'assistant/message', seq: 1, data: {}, surfaceOp: 'append' }],
    ['belongs to another row', { ...reply([1, 2]), type: 'tool/result' }],
    ['is not last but one', { type: 'assistant/message', sourceEventSeqs: [1], data: {}, surfaceOp: 'append' }],
  ])('stays when it %s', (_, row) => {
    expect(short(row)).toBeNull()
  })

  it('is no JSON any more when the key was a deeper one', () => {
    const row = JSON.stringify({ type: 'assistant/message', data: { x: 1, sourceEventSeqs: [1], surfaceOp: 'append' } })
    expect(short(row)).toBeNull()
    expect(tryJson(short(row.slice(0, -1)) ?? '')).toBeUndefined()
  })
})
