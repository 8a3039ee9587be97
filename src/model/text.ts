import { hash } from 'node:crypto'

/**
 * A text of the log as the model keeps it. Equal texts are one object, so `a === b` and `a.hash === b.hash` agree.
 * `value` is the whole text unless `whole` is false: then it is the first and last `EDGE` characters around a gap,
 * because the store's budget was used up (so that memory stays flat in log size).
 */
export interface Text {
  readonly value: string
  readonly whole: boolean
  /** UTF-16 units of the whole text. */
  readonly length: number
  /** SHA-1 (base64) of the whole text. */
  readonly hash: string
}

/** Characters of all whole texts a session may hold. Past it, long ordinary texts are cut to their edges. */
const BUDGET = 12 * 1024 * 1024
/** Texts up to this length are always kept whole. */
const SHORT = 256
const EDGE = 256
/** In Latin-1: one character outside of it doubles the memory of a text. */
const GAP = '\n...\n'

export class TextStore {
  readonly #texts = new Map<string, Text>()
  #used = 0
  #cut = 0

  /** Number of texts that were cut to their edges. */
  get cut(): number {
    return this.#cut
  }

  /** `always` keeps the text whole whatever the budget: for answers, programs that ask, and results that may carry an answer. */
  keep(value: string, always = false): Text {
    const key = hash('sha1', value, 'base64')
    const known = this.#texts.get(key)
    if (known && (known.whole || !always)) return known
    const whole = always || value.length <= SHORT || this.#used + value.length <= BUDGET
    let text: Text
    if (whole) {
      this.#used += value.length
      text = { value, whole, length: value.length, hash: key }
    } else {
      this.#cut += 1
      text = { value: copied(`${value.slice(0, EDGE)}${GAP}${value.slice(-EDGE)}`), whole, length: value.length, hash: key }
    }
    this.#texts.set(key, text)
    return text
  }
}

/** A text joined from slices would keep the whole one in memory. */
function copied(text: string): string {
  return Buffer.from(text).toString()
}
