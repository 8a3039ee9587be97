import type { EventOf, LogEvent } from '../../decode/event.ts'
import type { Fold, LogFacts, Report } from './fold.ts'

/** The two lists of queued messages (dsh-agent, inbox): splices stay in bounds, ids are unique over both. A copied prefix does not count. */
export class InboxFold implements Fold {
  readonly #facts: LogFacts
  readonly #lists = new Map<string, (string | null)[]>()
  readonly #queued = new Set<string | null>()

  constructor(facts: LogFacts) {
    this.#facts = facts
  }

  event(e: LogEvent, report: Report): void {
    if (e.seq === this.#facts.header.seedLength || (e.type === 'session/end-seed' && e.inherited)) {
      this.#lists.clear()
      this.#queued.clear()
    }
    if (e.type === 'agent/inbox/spliced') this.#splice(e, report)
  }

  #splice({ target, start, removedCount, inserted, seq, line }: EventOf<'agent/inbox/spliced'>, report: Report): void {
    const list = this.#lists.get(target) ?? []
    this.#lists.set(target, list)
    if (start + removedCount > list.length) {
      report('inbox-fold', { seq, line }, `The splice of ${target} takes ${removedCount} at ${start}, but ${list.length} messages are queued.`)
    }
    for (const id of list.splice(start, removedCount, ...inserted.map((message) => message.id))) this.#queued.delete(id)
    for (const { id } of inserted) {
      if (id !== null && this.#queued.has(id) && !this.#facts.isFixture) report('inbox-fold', { seq, line }, `Message ${id} is queued twice.`)
      this.#queued.add(id)
    }
  }
}
