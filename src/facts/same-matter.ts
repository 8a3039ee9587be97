import type { Question, QuestionCall } from '../model/session.ts'

/** An id that only numbers the questions says nothing about them. */
const NUMBERED = /^(?:q|question|id|item|ask)?[-_ ]?\d*$/i
/** With the same id some common words are enough; without it the wording must be nearly the same. */
const SOME = 0.3
const NEARLY_ALL = 0.8
/** Choices as short as yes and no are those of many questions. */
const TELLING_CHOICES = 8

/** Two calls ask for the same decision: by the id the model gave it, by the choices, or by the wording. */
export function sameMatter(a: QuestionCall, b: QuestionCall): boolean {
  return (a.questions ?? []).some((x) => (b.questions ?? []).some((y) => sameQuestion(x, y)))
}

function sameQuestion(a: Question, b: Question): boolean {
  if (a.question === b.question || (choices(a).length > TELLING_CHOICES && choices(a) === choices(b))) return true
  // Whoever asks again offers at least one of the choices again.
  if (a.options.length > 0 && b.options.length > 0 && !a.options.some((x) => b.options.some((y) => x.label === y.label))) return false
  const named = !NUMBERED.test(a.id) && !NUMBERED.test(b.id)
  if (named && a.id !== b.id) return false
  return likeness(words(a.question), words(b.question)) >= (named ? SOME : NEARLY_ALL)
}

function choices({ options }: Question): string {
  return options.map((o) => o.label).toSorted().join('')
}

/** Words of three letters and more; scripts without spaces are taken character by character. */
function words(text: string): ReadonlySet<string> {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(found.flatMap((word) => (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word)
    ? Array.from(word)
    : word.length > 2 ? [word] : [])))
}

/** Common words as a share of the shorter text's. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length / Math.max(1, Math.min(a.size, b.size))
}
