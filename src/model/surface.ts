import type { SurfaceOp } from '../decode/event.ts'
import { firstIndex } from './ascending.ts'

/**
 * The rows the model reads, in their order (dsh-session, surface fold): a replacement stands where the first row it
 * replaces stood. Rows are found by halving, so in a log whose seqs step back some are not found.
 */
export class Surface<Row> {
  readonly #seqOf: (row: Row) => number
  readonly #rows: Row[] = []
  /** Of replacements: the seq whose place they took. Any other row stands by its own. */
  readonly #places = new Map<number, number>()

  constructor(seqOf: (row: Row) => number) {
    this.#seqOf = seqOf
  }

  /** Gives the rows it took off; null: a replacement that names no rows in this order, and was appended. */
  place(row: Row, op: SurfaceOp | null): readonly Row[] | null {
    const gone = op === 'append' || op === null ? [] : this.#replace(row, op.startSeq, op.endSeq)
    if (!gone?.length) this.#rows.push(row)
    return gone
  }

  #replace(row: Row, startSeq: number, endSeq: number): Row[] | null {
    const from = this.#indexOf(startSeq)
    const to = this.#indexOf(endSeq)
    if (from < 0 || to < from) return null
    const place = this.#placeOf(startSeq)
    const gone = this.#rows.splice(from, to - from + 1, row)
    for (const old of gone) this.#places.delete(this.#seqOf(old))
    this.#places.set(this.#seqOf(row), place)
    return gone
  }

  #placeOf(seq: number): number {
    return this.#places.get(seq) ?? seq
  }

  #indexOf(seq: number): number {
    const place = this.#placeOf(seq)
    const at = firstIndex(this.#rows.length, (i) => this.#placeAt(i) >= place)
    return this.#seqAt(at) === seq ? at : -1
  }

  #placeAt(i: number): number {
    return this.#placeOf(this.#seqAt(i))
  }

  #seqAt(i: number): number {
    const row = this.#rows[i]
    return row === undefined ? Infinity : this.#seqOf(row)
  }
}
