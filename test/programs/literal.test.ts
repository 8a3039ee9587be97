import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { occurrencesIn } from '../../src/programs/literal.ts'

const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((v) => v.trim() !== '')

describe('a literal value', () => {
  it('is found as it is, in JSON, in JSON inside JSON and in an inspected object', () => {
    fc.assert(fc.property(value, (v) => {
      const forms = [`> ${v} <`, JSON.stringify({ v }), JSON.stringify({ inner: JSON.stringify({ v }) }), inspect({ v })]
      for (const form of forms) expect(occurrencesIn(form).countAnywhere(v)).toBeGreaterThan(0)
    }))
  })

  it('is found where inspect splits a long text over several lines', () => {
    const v = 'First line of a remark that is long enough to be split,\nsecond line with "quotes" and it\'s more,\nthird line \\ end'
    expect(occurrencesIn(inspect({ answers: [{ id: 'note', custom: v }] })).count(v)).toBe(1)
  })

  it('is found behind \\u escapes, also of characters beyond the basic plane', () => {
    expect(occurrencesIn(String.raw`{"a": "gr\u00fcn \ud83d\ude00"}`).countAnywhere('grün 😀')).toBeGreaterThan(0)
  })

  it('counts whole words only: a part of a longer word is no occurrence', () => {
    const text = occurrencesIn('Aborting: maintenance of main, (A)')
    expect(text.count('main')).toBe(1)
    expect(text.count('A')).toBe(1)
    expect(text.countAnywhere('tenance')).toBeGreaterThan(0)
    expect(text.count('tenance')).toBe(0)
  })

  it('needs no spaces around it in scripts that have none', () => {
    expect(occurrencesIn('数据库使用Postgres存储').count('Postgres')).toBe(1)
    expect(occurrencesIn('已选择红色。').count('红色')).toBe(1)
  })

  it('is not counted where it is only a part of a longer value', () => {
    expect(occurrencesIn('deploy: main branch').count('main', ['main branch'])).toBe(0)
    expect(occurrencesIn('main, main branch').count('main', ['main branch'])).toBe(1)
  })

  it('is not found in another case', () => {
    expect(occurrencesIn('POSTGRES').countAnywhere('Postgres')).toBe(0)
  })

  it('never throws on escapes that are none', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom('\\', 'u', '{', '}', 'x', '0', 'f', 'U', '"', ' +\n') }), (t) => {
      expect(occurrencesIn(t).count('zz')).toBe(0)
    }))
  })
})
