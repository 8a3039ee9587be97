import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanJson, cleaned, cleanText } from '../../src/reporters/clean.ts'
import { hostileSession, report } from '../support/report.ts'

const UNSAFE = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u

describe('cleanText', () => {
  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a window title', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a hyperlink', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['8-bit introducers', '\u009b2J\u009d0;t\u009cx', 'x'],
    ['an unterminated string', '\u001b]0;kept', '0;kept'],
    ['one escape inside another', '\u001b\u001b[31m[31m', '[31m'],
    ['other controls', 'a\u0000b\u0008c\u007f', 'abc'],
    ['carriage returns', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],
  ])('strips %s', (_, dirty, clean) => expect(cleanText(dirty)).toBe(clean))

  test('bidi overrides are spelled out', () => expect(cleanText('a\u202Egpj')).toBe('a<U+202E>gpj'))
  test('line breaks, tabs and joined emoji stay', () => expect(cleanText('a\n\tb 👩‍🚀')).toBe('a\n\tb 👩‍🚀'))
  test('nothing unsafe is left of any text', () => {
    const nasty = fc.string({ unit: fc.constantFrom('\u001b', '[', ']', '\u0007', '\u009b', '\u009d', '\u009c', ';', '3', 'm', 'P', '\\', '\u202e', 'x', '\r', '\u0000') })
    fc.assert(fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => !UNSAFE.test(cleanText(text))))
  })
  test('many unterminated sequences cost linear time', () => {
    const started = performance.now()
    cleanText('\u001b]\u0090\u001b['.repeat(200_000))
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

test('no string of a cleaned report is unsafe', () => {
  const strings = JSON.stringify(cleaned(report([hostileSession()])), (_, value: unknown) => (typeof value === 'string' ? value.replaceAll(/[\n\t]/g, ' ') : value))
  expect(UNSAFE.test(strings)).toBe(false)
})

test('JSON is escaped without changing a value', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => {
    const json = cleanJson(JSON.stringify([text]))
    expect(UNSAFE.test(json)).toBe(false)
    expect(JSON.parse(json)).toEqual([text])
  }))
})
