import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextIndex } from '../../src/facts/text-index.ts'
import { occurrencesIn } from '../../src/programs/literal.ts'

const piece = fc.constantFrom('Postgres', 'postgres', 'SQLite', ' ', ' ', '\n', '\\n', '"', '\\"', '是', '的', 'é', '4', '-', '.', 'a', '𝐀')
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

test('leaves out no text in which a value stands as words of its own', () => {
  fc.assert(fc.property(fc.array(text, { maxLength: 8 }), fc.array(text, { minLength: 1, maxLength: 3 }), fc.nat(8), (texts, values, after) => {
    const index = new TextIndex(texts.map((value, seq) => ({ seq, value })), (t) => t.seq, (t) => t.value, values)
    const found = Array.from(index.holding(values, after), (t) => t.seq)
    expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b))
    expect(found.every((seq) => seq > after)).toBe(true)
    for (const [seq, each] of texts.entries()) {
      if (seq > after && values.some((v) => occurrencesIn(each).count(v) > 0)) expect(found).toContain(seq)
    }
  }))
})

test('gives only the few texts with the rarest word of a value', () => {
  const texts = Array.from({ length: 1000 }, (_, seq) => ({ seq, value: `the store of part ${seq}` }))
  const index = new TextIndex(texts, (t) => t.seq, (t) => t.value, texts.map((t) => t.value))
  for (const { seq, value } of texts) expect(Array.from(index.holding([value], -1), (t) => t.seq)).toEqual([seq])
})

test('takes words of any length', () => {
  const long = 'x'.repeat(20_000_000)
  const index = new TextIndex([long, 'short', `a ${long.slice(0, 3000)} b`].map((value, seq) => ({ seq, value })), (t) => t.seq, (t) => t.value, ['short', long.slice(0, 3000)])
  expect(Array.from(index.holding(['short'], -1), (t) => t.seq)).toEqual([1])
  expect(Array.from(index.holding([long.slice(0, 3000)], -1), (t) => t.seq)).toContain(2)
})
