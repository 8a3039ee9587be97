import type { Question, QuestionCall } from '../model/questions.ts'

/** An id that only numbers the questions says nothing about them. */
const NUMBERED = /^(?:q|question|id|item|ask)?[-_ ]?\d*$/i
/** Share of common letter pairs from which two wordings count as one. */
const ALIKE = 0.6

/** Two calls ask for the same decision: by the id the model gave it, by the choices, or by most of the wording. */
export function sameMatter(a: QuestionCall, b: QuestionCall): boolean {
  return (a.questions ?? []).some((x) => (b.questions ?? []).some((y) => sameQuestion(x, y)))
}

function sameQuestion(a: Question, b: Question): boolean {
  if (a.id === b.id && !NUMBERED.test(a.id)) return true
  const labels = (q: Question): string => q.options.map((o) => o.label).toSorted().join('\n')
  if (a.options.length > 2 && labels(a) === labels(b)) return true
  return likeness(pairs(a.question), pairs(b.question)) >= ALIKE
}

function pairs(text: string): ReadonlySet<string> {
  const letters = [...text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()]
  return new Set(letters.slice(1).map((letter, i) => `${letters[i]}${letter}`))
}

/** Dice coefficient: 1 for equal sets, 0 for disjoint ones. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((pair) => b.has(pair)).length
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size)
}
