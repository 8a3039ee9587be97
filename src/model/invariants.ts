import type { Header, Issue, LogEvent } from '../decode/event.ts'
import { IssueLog } from '../decode/issues.ts'
import { CallFold } from './invariants/calls.ts'
import { ENFORCED_SINCE, type Fold, type Report } from './invariants/fold.ts'
import { GoalFold } from './invariants/goal.ts'
import { InboxFold } from './invariants/inbox.ts'
import { PairFold } from './invariants/pairs.ts'
import { SurfaceFold } from './invariants/surface.ts'
import { TurnFold } from './invariants/turns.ts'

/**
 * Checks what the rows of a log promise each other. It stops at the first missing row: what follows a hole can neither
 * be proven nor disproven. A log that stops in the middle breaks nothing.
 */
export class InvariantChecker {
  readonly #issues: Issue[] = []
  readonly #log: IssueLog
  readonly #report: Report
  readonly #header: Header
  #folds: readonly Fold[] = []
  #next = 0
  #time = 0
  #stopped = false
  #backwards: { readonly line: number; readonly seq: number; rows: number; most: number } | null = null

  /** `file` is the name that issues carry. */
  constructor(file: string, header: Header) {
    this.#header = header
    this.#log = new IssueLog(file, (issue) => this.#issues.push(issue))
    this.#report = (code, at, text) => this.#log.add(code, at, text, header.version >= ENFORCED_SINCE[code] ? 'refuse' : 'accept')
  }

  event(e: LogEvent): void {
    if (this.#next === 0) this.#begin(e)
    this.#stopped ||= e.seq !== this.#next
    if (this.#stopped) return
    this.#next = (e.type === 'stream' ? e.lastSeq : e.seq) + 1
    this.#clock(e)
    for (const fold of this.#folds) fold.event(e, this.#report)
  }

  finish(): Issue[] {
    if (this.#backwards) {
      const { rows, most } = this.#backwards
      this.#report('time-backwards', this.#backwards, `The clock goes back ${rows === 1 ? 'once' : `${rows} times, here first`}, by up to ${most} ms: durations across it are wrong.`)
    }
    this.#log.finish()
    return this.#issues
  }

  #begin(e: LogEvent): void {
    const facts = { header: this.#header, isFixture: e.time === 0 }
    this.#folds = [new TurnFold(), new CallFold(facts), new GoalFold(), new InboxFold(facts), new SurfaceFold(facts), new PairFold()]
  }

  /** Rows of one moment may be written in another order than their times; a second is no jitter. */
  #clock({ time, line, seq }: LogEvent): void {
    const back = this.#time - time
    if (back >= 1000) {
      this.#backwards ??= { line, seq, rows: 0, most: 0 }
      this.#backwards.rows += 1
      this.#backwards.most = Math.max(this.#backwards.most, back)
    }
    this.#time = time
  }
}
