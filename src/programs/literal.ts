/**
 * Does a value stand literally in a text? Literal means equal up to string escaping: JSON strings (also JSON in JSON),
 * `util.inspect` and `repr` quoting with any quote, long strings split by ` +` over several lines.
 */

/** JSON in JSON in an inspected object. */
const MAX_UNESCAPES = 3
const SPLIT = /(['"`]) \+\n\s*['"`]/g
const ESCAPE = /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|U([\da-f]{8})|([^]))/gi
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '0': '\0' }

/** Letters and digits of scripts that put spaces between words; others have no word borders to look for. */
const SPACED = /[\p{L}\p{N}]/u
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

export interface Occurrences {
  /**
   * How often the value stands in the text as words of its own, not as a part of one of the `longer` values.
   * The largest count over all levels of unescaping.
   */
  count(value: string, longer?: readonly string[]): number
  /** The same, also inside words. */
  countAnywhere(value: string): number
  /** The text itself and what it reads unescaped, level by level. */
  forms(): readonly string[]
}

/** A text made ready for many searches; unescaping is done only when it is needed, in linear time. */
export function occurrencesIn(text: string): Occurrences {
  const levels = [text]
  const level = (i: number): string | null => {
    for (let last = levels.length - 1; last < i; last += 1) {
      const next = unescape(levels[last] ?? '')
      if (next === levels[last]) return null
      levels.push(next)
    }
    return levels[i] ?? null
  }
  const best = (measure: (form: string) => number): number => {
    let most = 0
    for (let i = 0; i <= MAX_UNESCAPES; i += 1) {
      const form = level(i)
      if (form === null) break
      most = Math.max(most, measure(form))
    }
    return most
  }
  return {
    count: (value, longer = []) => value === '' ? 0 : best((form) => countWords(without(form, value, longer), value)),
    countAnywhere: (value) => value === '' ? 0 : best((form) => form.split(value).length - 1),
    forms: () => {
      level(MAX_UNESCAPES)
      return levels
    },
  }
}

/** It stands there at all, also inside a word. */
export function standsLiterally(text: string, value: string): boolean {
  return occurrencesIn(text).countAnywhere(value) > 0
}

function unescape(text: string): string {
  if (!text.includes('\\') && !text.includes(' +\n')) return text
  return text.replace(SPLIT, '').replace(ESCAPE, (whole, braced?: string, four?: string, two?: string, eight?: string, one?: string) => {
    if (one !== undefined) return CONTROLS[one] ?? one
    const point = Number.parseInt(braced ?? four ?? two ?? eight ?? '', 16)
    return braced !== undefined || eight !== undefined ? (point <= 0x10ffff ? String.fromCodePoint(point) : whole) : String.fromCharCode(point)
  })
}

function without(form: string, value: string, longer: readonly string[]): string {
  return longer.reduce((rest, other) => (other.length > value.length && other.includes(value) ? rest.replaceAll(other, '\0') : rest), form)
}

function countWords(form: string, value: string): number {
  let count = 0
  for (let at = form.indexOf(value); at >= 0; at = form.indexOf(value, at + value.length)) {
    if (!glued(form[at - 1], value[0]) && !glued(value.at(-1), form[at + value.length])) count += 1
  }
  return count
}

/** Both characters belong to one word. */
function glued(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && inWord(left) && inWord(right)
}

function inWord(char: string): boolean {
  return SPACED.test(char) && !UNSPACED.test(char)
}
