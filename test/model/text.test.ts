import { describe, expect, it } from 'vitest'
import { TextStore } from '../../src/model/text.ts'

const MEBI = 1024 * 1024
/** A text of a mebi of characters that begins and ends with its number. */
const big = (n: number): string => `<${n}>`.padEnd(MEBI - 8, '.') + `<${n}>`.padStart(8, '.')

describe('TextStore', () => {
  it('gives equal texts as one object, cut or not', () => {
    const store = new TextStore()
    const first = store.keep(big(0))
    expect(store.keep('a')).toBe(store.keep('a'))
    for (let n = 1; n < 20; n += 1) store.keep(big(n))
    expect(first.whole).toBe(false)
    expect(store.keep(big(0))).toBe(first)
  })

  it('keeps the newest texts whole, and of older ones their ends and their length', () => {
    const store = new TextStore()
    const texts = Array.from({ length: 20 }, (_, n) => store.keep(big(n)))
    const firstWhole = texts.findIndex((t) => t.whole)
    expect(firstWhole).toBe(12)
    expect(texts.every((t, n) => t.whole === n >= firstWhole)).toBe(true)
    expect(store.cut).toBe(firstWhole)
    const [cut] = texts
    expect(cut?.value).toMatch(/^<0>\.+\n\.\.\.\n\.+<0>$/)
    expect(cut?.value.length).toBeLessThan(200)
    expect(cut?.length).toBe(MEBI)
    expect(texts.at(-1)?.value).toBe(big(19))
  })

  it('has a cut text whole again when it comes again', () => {
    const store = new TextStore()
    const text = store.keep(big(0))
    for (let n = 1; n < 10; n += 1) store.keep(big(n))
    const cut = store.cut
    store.keep(big(0))
    expect(text).toMatchObject({ whole: true, value: big(0) })
    // It takes the room of another one.
    expect(store.cut).toBe(cut)
  })

  it('never cuts what is to be kept, and short texts', () => {
    const store = new TextStore()
    const answer = store.keep(big(0), true)
    const later = store.keep(big(1))
    const short = store.keep('x'.repeat(200))
    store.keep(big(1), true)
    for (let n = 2; n < 30; n += 1) store.keep(big(n))
    expect([answer, later, short].map((t) => t.whole)).toEqual([true, true, true])
  })

  it('cuts a text that would need all the room alone, and no other for it', () => {
    const store = new TextStore()
    const other = store.keep(big(0))
    expect(store.keep('x'.repeat(20 * MEBI))).toMatchObject({ whole: false, length: 20 * MEBI })
    expect(other.whole).toBe(true)
    expect(store.keep('x'.repeat(20 * MEBI), true)).toMatchObject({ whole: true, length: 20 * MEBI })
  })
})
