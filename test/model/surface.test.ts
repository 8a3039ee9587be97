import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SurfaceOp } from '../../src/decode/event.ts'
import { Surface } from '../../src/model/surface.ts'

/** The fold as it is defined: by position in a list. */
function placed(rows: number[], row: number, op: SurfaceOp): number[] | null {
  const from = op === 'append' ? -1 : rows.indexOf(op.startSeq)
  const to = op === 'append' ? -1 : rows.indexOf(op.endSeq)
  if (op !== 'append' && from >= 0 && to >= from) return rows.splice(from, to - from + 1, row)
  rows.push(row)
  return op === 'append' ? [] : null
}

test('takes off what the list by position takes off', () => {
  const op = fc.oneof(fc.constant('append' as const), fc.record({ startSeq: fc.nat(30), endSeq: fc.nat(30) }))
  fc.assert(fc.property(fc.array(op, { maxLength: 40 }), (ops) => {
    const surface = new Surface<number>((seq) => seq)
    const rows: number[] = []
    for (const [seq, each] of ops.entries()) expect(surface.place(seq, each)).toEqual(placed(rows, seq, each))
  }))
})

test('finds rows to be replaced without walking over the others', () => {
  const ROWS = 20_000
  let looks = 0
  const surface = new Surface<number>((seq) => { looks += 1; return seq })
  for (let seq = 0; seq < ROWS; seq += 1) surface.place(seq, 'append')
  for (let seq = 0; seq < ROWS; seq += 1) expect(surface.place(ROWS + seq, { startSeq: seq, endSeq: seq })).toEqual([seq])
  expect(looks).toBeLessThan(ROWS * 50)
})
