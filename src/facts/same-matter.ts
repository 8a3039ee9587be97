import type { QuestionCall } from '../model/session.ts'

/** An id that only numbers the questions says nothing about them. */
const NUMBERED = /^(?:q|question|id|item|ask)?[-_ ]?\d*$/i
/** With the same id some common words are enough; without it the wording must be nearly the same. */
const SOME = 0.3
const NEARLY_ALL = 0.8
/** Choices as short as yes and no are those of many questions. */
const TELLING_CHOICES = 8

/** A call's questions as they are compared: taken apart once, because each is compared with many. */
export type Matter = readonly {
  readonly text: string
  readonly id: string
  readonly isNamed: boolean
  readonly labels: ReadonlySet<string>
  readonly choices: string
  readonly words: ReadonlySet<string>
}[]

export function matterOf({ questions }: QuestionCall): Matter {
  return (questions ?? []).map(({ id, question, options }) => {
    const labels = options.map((o) => o.label)
    return { text: question, id, isNamed: !NUMBERED.test(id), labels: new Set(labels), choices: labels.toSorted().join(''), words: words(question) }
  })
}

/** Two calls ask for the same decision: by the id the model gave it, by the choices, or by the wording. */
export function sameMatter(a: Matter, b: Matter): boolean {
  return a.some((x) => b.some((y) => sameQuestion(x, y)))
}

function sameQuestion(a: Matter[number], b: Matter[number]): boolean {
  if (a.text === b.text || (a.choices.length > TELLING_CHOICES && a.choices === b.choices)) return true
  const named = a.isNamed && b.isNamed
  if (named && a.id !== b.id) return false
  // Whoever asks again offers at least one of the choices again.
  if (a.labels.size > 0 && b.labels.size > 0 && ![...a.labels].some((label) => b.labels.has(label))) return false
  return likeness(a.words, b.words) >= (named ? SOME : NEARLY_ALL)
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
