import { firstIndex } from '../model/ascending.ts'
import { occurrencesIn } from '../programs/literal.ts'

const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]`
/** Words, and single characters of scripts without spaces: what `Occurrences.count` takes for such. Words without end come in pieces: they would fill the stack. */
const WORD = new RegExp(String.raw`(?:(?!${UNSPACED})(?![\u{10000}-\u{10ffff}])[\p{L}\p{N}]){1,1000}|${UNSPACED}`, 'gu')

/** Finds the few texts that can hold a value at all, by the words of the value, so that many values need not be searched in every text. */
export class TextIndex<T> {
  readonly #entries: readonly T[]
  readonly #seqOf: (entry: T) => number
  /** Word of some value → the texts with it. */
  readonly #with = new Map<string, number[]>()
  readonly #all: readonly number[]

  /** `entries` in log order; only the given values can be asked for. */
  constructor(entries: readonly T[], seqOf: (entry: T) => number, textOf: (entry: T) => string, values: Iterable<string>) {
    this.#entries = entries
    this.#seqOf = seqOf
    this.#all = [...entries.keys()]
    for (const value of values) for (const word of wordsOf(value)) this.#with.set(word, [])
    for (const [i, entry] of entries.entries()) {
      for (const form of occurrencesIn(textOf(entry)).forms()) {
        for (const word of wordsOf(form)) {
          const list = this.#with.get(word)
          if (list && list.at(-1) !== i) list.push(i)
        }
      }
    }
  }

  /** Entries between two rows whose text may hold one of the values, in log order. */
  *holding(values: readonly string[], after: number, before = Infinity): Generator<T> {
    const lists = values.map((value) => {
      const list = this.#rarest(value)
      return { list, next: firstIndex(list.length, (i) => this.#seqAt(list[i]) > after) }
    })
    for (;;) {
      const at = lists.reduce((least, { list, next }) => Math.min(least, list[next] ?? Infinity), Infinity)
      const entry = this.#entries[at]
      if (!entry || this.#seqOf(entry) >= before) return
      yield entry
      for (const each of lists) if (each.list[each.next] === at) each.next += 1
    }
  }

  #rarest(value: string): readonly number[] {
    return wordsOf(value).reduce((least, word) => {
      const list = this.#with.get(word) ?? this.#all
      return list.length < least.length ? list : least
    }, this.#all)
  }

  #seqAt(i: number | undefined): number {
    const entry = this.#entries[i ?? -1]
    return entry ? this.#seqOf(entry) : Infinity
  }
}

function wordsOf(text: string): readonly string[] {
  return text.match(WORD) ?? []
}
