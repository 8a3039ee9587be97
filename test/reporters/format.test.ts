import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { bytes, count, cut, cutStart, duration, oneLine, shortId, tokens, wrap } from '../../src/reporters/format.ts'

describe('duration', () => {
  test.each([
    [0, '0 ms'], [850, '850 ms'], [1200, '1.2 s'], [59_949, '59.9 s'], [59_960, '1 min'], [511_000, '8 min 31 s'],
    [3_600_000, '1 h'], [4_320_000, '1 h 12 min'], [183_600_000, '2 d 3 h'],
  ])('%d ms is %s', (ms, words) => expect(duration(ms)).toBe(words))
})

test.each([[0, '0 B'], [512, '512 B'], [1_400_000, '1.4 MB'], [999_960, '1 MB'], [2_000_000_000, '2 GB']])('%d bytes are %s', (n, words) => expect(bytes(n)).toBe(words))

test.each([[950, '950'], [12_345, '12.3k'], [1_200_000, '1.2M']])('%d tokens are %s', (n, words) => expect(tokens(n)).toBe(words))

test('one of a thing is singular', () => {
  expect([count(0, 'round'), count(1, 'round'), count(2, 'round')]).toEqual(['0 rounds', '1 round', '2 rounds'])
})

test('whitespace of all kinds becomes one space', () => {
  expect(oneLine(' a\n\t b\u00a0c ')).toBe('a b c')
})

describe('cut', () => {
  test('a short text stays as it is', () => expect(cut('Postgres', 8)).toBe('Postgres'))
  test('a cut text says so', () => expect(cut('Postgres', 5)).toBe('Post…'))
  test('wide characters count twice and no character is split', () => expect(cut('名前👩‍🚀', 5)).toBe('名前…'))
  test('a path keeps its end', () => expect(cutStart('/home/ann/runs/a.jsonl', 12)).toBe('…uns/a.jsonl'))
  test('never wider than asked for', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (text, width) => stringWidth(cut(text, width)) <= width && stringWidth(cutStart(text, width)) <= width))
  })
})

describe('wrap', () => {
  test('breaks between words', () => expect(wrap('one two  three', 8)).toEqual(['one two', 'three']))
  test('line breaks stay', () => expect(wrap('a\n\n b', 8)).toEqual(['a', '', 'b']))
  test('indentation stays where nothing is trimmed', () => expect(wrap('  one two', 7, false)).toEqual(['  one ', 'two']))
  test('a long word begins in its line where that saves one', () => {
    expect(wrap('ab 12345678', 6)).toEqual(['ab 123', '45678'])
    expect(wrap('abcd 1234567', 6)).toEqual(['abcd 1', '234567'])
  })
  test('wide characters count twice', () => expect(wrap('名前名前', 4)).toEqual(['名前', '名前']))
  test('never wider than asked for, and no word is lost', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), fc.boolean(), (text, width, trim) => {
      const rows = wrap(text, width, trim)
      expect(rows.every((row) => stringWidth(row) <= width)).toBe(true)
      expect(rows.join('').replace(/\s/g, '')).toBe(text.normalize().replace(/\s/g, ''))
    }))
  })
})

test('a session id is shortened to what people can tell apart', () => {
  expect(shortId('session-e311575b-789d-4e38-8d3a-a5750a0f6dbf')).toBe('session-e311575b')
  expect(shortId('my-own-id')).toBe('my-own-id')
})
