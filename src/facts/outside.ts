/**
 * What goes on outside the model's turns: jobs and subagents it started, processes it can only look at.
 * A round that finds nothing new is waiting, not idle, while something of that kind is alive that changes later.
 */
import { spokenSeqs, type Session, type UserMessage } from '../model/session.ts'
import type { LeafCall } from './leaf-calls.ts'
import { isLookOutside, polledId, type Act } from './tools.ts'

export interface Wait {
  /** Unchanged looks at the outside, in log order; for a job none may be there. */
  readonly polls: readonly LeafCall[]
  /** What is outside is alive from here on, looked at or not; null: perhaps nothing is outside, the look itself was all. */
  readonly aliveFrom: number | null
  /** The row that shows the change. */
  readonly changedSeq: number
}

/** The harness's words when something was put into the background. */
const STARTED = /^started background (?:[a-z]+ )?(?:job|subagent) ([\w-]+)/i
const END_NOTICES: ReadonlySet<string> = new Set(['tool-jobs', 'subagent-settled', 'subagent-report', 'agent-message', 'coordinator'])

export function endsSomething(message: UserMessage): boolean {
  return END_NOTICES.has(message.source.kind)
}

/** `changesAt` gives, for each of `leaves`, how often the model had changed the world by then. */
export function waitsOf(session: Session, leaves: readonly LeafCall[], changesAt: readonly number[]): readonly Wait[] {
  return [...jobWaits(session, leaves), ...pollWaits(session, leaves, changesAt)]
}

function jobWaits(session: Session, leaves: readonly LeafCall[]): Wait[] {
  const polls = new Map<string, LeafCall[]>()
  for (const leaf of leaves) if (leaf.act === 'poll') append(polls, polledId(leaf), leaf)
  const notices = new Map<string, number[]>()
  for (const message of session.messages) {
    if (!message.appended || !endsSomething(message)) continue
    const named = new Set([message.source.senderSessionId ?? '', ...(message.text.value.slice(0, NOTICE_HEAD).match(/[\w-]+/g) ?? [])])
    for (const id of named) append(notices, id, message.queuedSeq ?? message.seq)
  }
  return leaves.flatMap((leaf) => {
    const id = leaf.outcome && !leaf.failed ? STARTED.exec(leaf.outcome.text.value)?.[1] : undefined
    if (id === undefined) return []
    const own = polls.get(id) ?? []
    const shown = own.findLast((p, i) => i > 0 && p.seq > leaf.seq && p.outcomeKey !== own[i - 1]?.outcomeKey)?.outcome?.seq ?? 0
    const told = notices.get(id)?.at(-1) ?? 0
    const changedSeq = Math.max(shown, told)
    return changedSeq > leaf.seq ? [{ polls: [], aliveFrom: leaf.seq, changedSeq }] : []
  })
}

/** A notice names its job at the beginning; what follows is the job's own text. */
const NOTICE_HEAD = 300

function append<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** Acts whose outcome is the model's own doing, or the human's. */
const OWN_DOING: ReadonlySet<Act> = new Set(['goal', 'todo', 'question', 'write', 'edit'])

/**
 * Equal calls in a row whose outcome changes although the model did nothing to the world and no human spoke in between.
 * Each row of unchanged looks is one wait.
 */
function pollWaits(session: Session, leaves: readonly LeafCall[], changesAt: readonly number[]): Wait[] {
  const spoken = spokenSeqs(session)
  const rows = new Map<number | string, { calls: LeafCall[]; humans: number; changes: number }>()
  const waits: Wait[] = []
  let humans = 0
  for (const [i, leaf] of leaves.entries()) {
    while ((spoken[humans] ?? Infinity) < leaf.seq) humans += 1
    const { act } = leaf
    if (leaf.outcomeKey === null || OWN_DOING.has(act)) continue
    const key = act === 'poll' ? `${leaf.name} ${polledId(leaf)}` : leaf.key
    const changes = changesAt[i] ?? 0
    const row = rows.get(key)
    const untouched = act === 'poll' || (row?.humans === humans && row.changes === changes)
    if (row && row.calls[0]?.outcomeKey === leaf.outcomeKey && untouched) row.calls.push(leaf)
    else {
      if (row && untouched) waits.push({ polls: row.calls, aliveFrom: isLookOutside(leaf) ? (row.calls[0]?.seq ?? null) : null, changedSeq: leaf.outcome?.seq ?? leaf.seq })
      rows.set(key, { calls: [leaf], humans, changes })
    }
  }
  return waits
}
