/** Whether a value stands in a text, equal up to string escaping (JSON, JSON in JSON, util.inspect). */

/** Joins the pieces of a long string that `util.inspect` splits over lines, then drops escaping: the same for value and text. */
function plain(text: string): string {
  return text
    .replace(/['"`] \+\n\s*['"`]/g, '')
    .replace(/\\+([nrt])/g, '\n')
    .replace(/\\+u[0-9a-f]{4}|\\+x[0-9a-f]{2}/gi, '\uFFFD')
    .replace(/\\+(?=["'`\\])/g, '')
    .replace(/\\+/g, '\\')
    .replace(/[\r\n\t]/g, '\n')
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, '\uFFFD')
}

const WORD = /[\p{L}\p{N}_]/u

/** How often `value` stands in `text`; where it begins or ends in a letter or digit, not as part of a longer word. */
export function countLiteral(text: string, value: string): number {
  const haystack = plain(text)
  const needle = plain(value)
  if (needle === '') return 0
  const open = WORD.test(needle.charAt(0))
  const closed = WORD.test(needle.charAt(needle.length - 1))
  let count = 0
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + needle.length)) {
    const before = open && at > 0 && WORD.test(haystack.charAt(at - 1))
    const after = closed && WORD.test(haystack.charAt(at + needle.length))
    if (!before && !after) count++
  }
  return count
}

export function standsLiterally(text: string, value: string): boolean {
  return countLiteral(text, value) > 0
}
