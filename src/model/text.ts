import { hash } from 'node:crypto'

/** A text of the log as the model keeps it. Equal texts are one object: `===` and `id` tell. */
export interface Text {
  /** The whole text; where `whole` is false only its two ends around a gap (see `TextStore`). */
  readonly value: string
  readonly whole: boolean
  /** UTF-16 units of the whole text. */
  readonly length: number
  /** Its number among the texts of the session, from 0. */
  readonly id: number
}

type Draft = { -readonly [K in keyof Text]: Text[K] }

/** Characters that long texts may take. Past it, the oldest are cut: the end of a run matters most. */
const ROOM = 8 * 1024 * 1024
/** Texts up to this length are short: they are always whole. */
const SHORT = 256
/** Characters left at each end of a long one. */
const EDGE = 80
/** In Latin-1: one character outside of it doubles the memory of a text. */
const GAP = '\n...\n'

/** The texts of a session. What it takes grows with the log only by the ends of long texts, and by short ones. */
export class TextStore {
  readonly #texts = new Map<string, Draft>()
  /** Whole for good. */
  readonly #pinned = new Set<Text>()
  /** Whole long texts in the order they came; those before `#oldest` are cut by now. */
  readonly #long: Draft[] = []
  #oldest = 0
  #used = 0
  #cut = 0

  /** Number of texts that are cut. */
  get cut(): number {
    return this.#cut
  }

  /** `always` keeps the text whole for good: for what the human and the
   * system prompt say, and for programs that ask: what they called, got and gave back. */
  keep(value: string, always = false): Text {
    const key = hash('sha1', value, 'base64')
    const known = this.#texts.get(key)
    const text = known ?? { value, whole: true, length: value.length, id: this.#texts.size }
    if (!known) this.#texts.set(key, text)
    if (always) this.#pinned.add(text)
    if (known?.whole) return known
    if (known) {
      known.value = value
      known.whole = true
      this.#cut -= 1
    }
    if (!always && value.length > SHORT) this.#makeRoom(text)
    return text
  }

  #makeRoom(text: Draft): void {
    if (text.length > ROOM) return this.#cutOff(text)
    this.#long.push(text)
    for (this.#used += text.length; this.#used > ROOM; this.#oldest += 1) {
      const oldest = this.#long[this.#oldest] ?? text
      this.#used -= oldest.length
      if (!this.#pinned.has(oldest)) this.#cutOff(oldest)
    }
    if (this.#oldest > this.#long.length / 2) this.#oldest -= this.#long.splice(0, this.#oldest).length
  }

  #cutOff(text: Draft): void {
    // Not a text joined from slices: it would keep the whole one in memory.
    text.value = Buffer.from(`${text.value.slice(0, EDGE)}${GAP}${text.value.slice(-EDGE)}`).toString()
    text.whole = false
    this.#cut += 1
  }
}
