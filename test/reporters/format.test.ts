import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { bytes, count, cut, cutStart, duration, oneLine, shortId, tokens } from '../../src/reporters/format.ts'

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

test('a session id is shortened to what people can tell apart', () => {
  expect(shortId('session-e311575b-789d-4e38-8d3a-a5750a0f6dbf')).toBe('session-e311575b')
  expect(shortId('my-own-id')).toBe('my-own-id')
})
