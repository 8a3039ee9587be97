/**
 * What goes on outside the model's turns: jobs and subagents it started, processes it can only look at.
 * A round that finds nothing new is waiting, not idle, while something of that kind is alive that changes later.
 */
import type { Session, UserMessage } from '../model/session.ts'
import type { LeafCall } from './leaf-calls.ts'
import { hasFailed, isLookOutside, type Act } from './tools.ts'

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

/** `changesAt` gives, per leaf call, how often the model had changed the world by then. */
export function waitsOf(session: Session, leaves: readonly LeafCall[], acts: ReadonlyMap<LeafCall, Act>, changesAt: ReadonlyMap<LeafCall, number>): readonly Wait[] {
  return [...jobWaits(session, leaves, acts), ...pollWaits(session, leaves, acts, changesAt)]
}

function jobWaits(session: Session, leaves: readonly LeafCall[], acts: ReadonlyMap<LeafCall, Act>): Wait[] {
  const polls = leaves.filter((l) => acts.get(l)?.kind === 'poll')
  const notices = session.messages.filter((m) => m.appended && endsSomething(m))
  return leaves.flatMap((leaf) => {
    const id = leaf.outcome && !hasFailed(leaf) ? STARTED.exec(leaf.outcome.text.value)?.[1] : undefined
    if (id === undefined) return []
    const own = polls.filter((p) => p.seq > leaf.seq && p.arguments.value.includes(`"${id}"`))
    const shown = own.flatMap((p, i) => (i > 0 && p.outcomeKey !== own[i - 1]?.outcomeKey && p.outcome ? [p.outcome.seq] : []))
    const told = notices.filter((m) => m.seq > leaf.seq && (m.source.senderSessionId === id || m.text.value.includes(id))).map((m) => m.queuedSeq ?? m.seq)
    const changedSeq = Math.max(...shown, ...told)
    return Number.isFinite(changedSeq) ? [{ polls: [], aliveFrom: leaf.seq, changedSeq }] : []
  })
}

/**
 * Equal calls in a row whose outcome changes although the model did nothing to the world and no human spoke in between.
 * Each row of unchanged looks is one wait.
 */
function pollWaits(session: Session, leaves: readonly LeafCall[], acts: ReadonlyMap<LeafCall, Act>, changesAt: ReadonlyMap<LeafCall, number>): Wait[] {
  const spoken = session.messages.filter((m) => m.source.kind === 'user' && m.appended).map((m) => m.seq)
  const rows = new Map<string, { calls: LeafCall[]; humans: number }>()
  const waits: Wait[] = []
  let humans = 0
  for (const leaf of leaves) {
    while ((spoken[humans] ?? Infinity) < leaf.seq) humans += 1
    const act = acts.get(leaf)
    if (leaf.outcomeKey === null || !act || act.kind === 'goal' || act.kind === 'todo' || act.kind === 'question' || act.kind === 'write' || act.kind === 'edit') continue
    const key = act.kind === 'poll' ? act.of : leaf.key
    const row = rows.get(key)
    const last = row?.calls.at(-1)
    const untouched = act.kind === 'poll' || (row?.humans === humans && last !== undefined && changesAt.get(last) === changesAt.get(leaf))
    if (row && last && last.outcomeKey === leaf.outcomeKey && untouched) row.calls.push(leaf)
    else {
      if (row && last && untouched) waits.push({ polls: row.calls, aliveFrom: isLookOutside(act) ? (row.calls[0]?.seq ?? null) : null, changedSeq: leaf.outcome?.seq ?? leaf.seq })
      rows.set(key, { calls: [leaf], humans })
    }
  }
  return waits
}
