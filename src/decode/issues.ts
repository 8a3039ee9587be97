import type { Issue } from './event.ts'

/** Of one code, this many issues are told in full; the rest is counted. */
const PER_CODE = 20

interface Place {
  readonly line?: number | null
  readonly offset?: number | null
  readonly seq?: number | null
}

/**
 * Collects the trouble of one log and knows how far the harness's own reader would have come.
 *
 * That reader stops at the first row it cannot take: without a later `turn/end` it drops everything from there on as a
 * crash tail, with one it refuses the log. So the first such row is held back until a `turn/end` or the end decides.
 */
export class IssueLog {
  readonly #file: string
  readonly #emit: (issue: Issue) => void
  readonly #counts = new Map<string, number>()
  #pending: Issue | null = null
  #broken = false

  constructor(file: string, emit: (issue: Issue) => void) {
    this.#file = file
    this.#emit = emit
  }

  add(code: string, place: Place, text: string, harness: Issue['harness']): void {
    const count = (this.#counts.get(code) ?? 0) + 1
    this.#counts.set(code, count)
    if (count > PER_CODE) return
    this.#emit(this.#issue(code, place, text, this.#broken ? 'not-read' : harness))
  }

  has(code: string): boolean {
    return this.#counts.has(code)
  }

  /** A row at which the harness stops reading. */
  broken(code: string, place: Place, text: string): void {
    if (this.#broken) {
      this.add(code, place, text, 'not-read')
      return
    }
    this.#broken = true
    this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1)
    this.#pending = this.#issue(code, place, text, 'drop-tail')
  }

  sawTurnEnd(): void {
    if (!this.#pending) return
    this.#emit({ ...this.#pending, harness: 'refuse' })
    this.#pending = null
  }

  finish(): void {
    if (this.#pending) this.#emit(this.#pending)
    this.#pending = null
    for (const [code, count] of this.#counts) {
      if (count > PER_CODE) this.#emit({ ...this.#issue(code, {}, `${count - PER_CODE} more like this.`, 'not-read'), count: count - PER_CODE })
    }
  }

  #issue(code: string, place: Place, text: string, harness: Issue['harness']): Issue {
    return { code, file: this.#file, line: place.line ?? null, offset: place.offset ?? null, seq: place.seq ?? null, text, harness }
  }
}
