import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { between, firstAfter, firstSpans, lastUpTo } from '../../src/model/ascending.ts'

const ascending = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }).map((seqs) => seqs.toSorted((a, b) => a - b))
const row = fc.integer({ min: -1, max: 61 })
const itself = (seq: number): number => seq

test('finds what a search from end to end finds', () => {
  fc.assert(fc.property(ascending, row, row, (seqs, a, b) => {
    expect(firstAfter(seqs, a)).toBe(seqs.find((s) => s > a))
    expect(lastUpTo(seqs, itself, a)).toBe(seqs.findLast((s) => s <= a))
    expect(between(seqs, itself, Math.min(a, b), Math.max(a, b))).toEqual(seqs.filter((s) => s > Math.min(a, b) && s < Math.max(a, b)))
  }))
})

test('looks at few of many items', () => {
  const items = Array.from({ length: 100_000 }, (_, i) => i)
  let looks = 0
  between(items, (i) => { looks += 1; return i }, 500, 600)
  expect(looks).toBeLessThan(50)
})

describe('firstSpans', () => {
  const span = fc.record({ after: row, before: row })

  test('gives each row the first span it lies in', () => {
    fc.assert(fc.property(ascending, fc.array(span), (rows, spans) => {
      expect(firstSpans(rows, spans, (s) => s)).toEqual(rows.map((r) => spans.find((s) => s.after < r && r < s.before)))
    }))
  })

  test('takes linear time where every span covers every row', () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => i)
    let looks = 0
    const found = firstSpans(rows, rows, () => { looks += 1; return { after: -1, before: Infinity } })
    expect(found.every((s) => s === 0)).toBe(true)
    expect(looks).toBe(rows.length)
  })
})
