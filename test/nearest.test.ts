import { expect, test } from 'vitest'
import { nearest } from '../src/nearest.ts'

const known = ['text', 'json', 'ndjson', 'dropped-answer', 'partial-answer']

test.each([
  ['jsno', 'json'], ['JSON', 'json'], ['nd-json', 'ndjson'], ['droped-answer', 'dropped-answer'], ['partial-answers', 'partial-answer'],
])('%s is meant as %s', (typed, meant) => expect(nearest(typed, known)).toBe(meant))

test.each(['yaml', 'x', 'answer'])('%s is like nothing', (typed) => expect(nearest(typed, known)).toBeNull())
