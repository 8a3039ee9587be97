/**
 * Parents and their delegated children. From format 3 on the parent's log names the child (`subagent/catalog`); before,
 * a child is matched to the parent's `subagent` call by its label and by its birth within the call (background calls
 * return at once, so their end is no limit). A call that fits no child, or two equally well, stays unlinked.
 */
import { isRecord, tryJson } from '../model/canonical.ts'
import { groupBy } from '../group.ts'
import type { Session } from '../model/session.ts'
import type { SessionReport } from './schema.ts'

type Delegation = SessionReport['delegations'][number]

const DELEGATING_TOOL = 'subagent'

/** The calls of a session that started other sessions, in log order. */
export function delegationsOf(session: Session): Delegation[] {
  const own = session.calls.filter((c) => !c.inherited)
  const calls = own.flatMap((call) => [
    ...(call.name === DELEGATING_TOOL ? [delegation(call, null, call.seq, call.time, call.arguments.value, call.result?.time ?? null)] : []),
    ...call.dispatches.filter((d) => d.name === DELEGATING_TOOL).map((d) => delegation(call, d.subCallId, d.startSeq, d.startTime, d.arguments.value, d.receipt?.time ?? null)),
  ])
  const catalogued = session.subagents.filter((s) => s.seq >= session.inheritedBefore)
  const inOrder = calls.toSorted((a, b) => a.seq - b.seq)
  const rest: Delegation[] = []
  const begun = new Begun()
  let next = 0
  for (const { childId, seq, label, callId } of catalogued) {
    for (let call = inOrder[next]; call && call.seq < seq; call = inOrder[next += 1]) begun.add(call)
    const call = begun.last(label)
    if (call) call.childId = childId
    else rest.push({ seq, callId, subCallId: null, label, childId, startedAt: null, endedAt: null })
  }
  return [...inOrder, ...rest].toSorted((a, b) => a.seq - b.seq)
}

/** Calls that have begun, to be asked for the last one without a child. */
class Begun {
  readonly #all: Delegation[] = []
  readonly #labelled = new Map<string | null, Delegation[]>()

  add(call: Delegation): void {
    const same = this.#labelled.get(call.label) ?? []
    this.#labelled.set(call.label, same)
    for (const list of [this.#all, same]) list.push(call)
  }

  /** Of those that may have this label. */
  last(label: string | null): Delegation | undefined {
    const lists = label === null ? [this.#all] : [this.#labelled.get(label), this.#labelled.get(null)]
    const found = lists.flatMap((list = []) => {
      while (list.at(-1)?.childId) list.pop()
      return list.at(-1) ?? []
    })
    return found.toSorted((a, b) => b.seq - a.seq)[0]
  }
}

function delegation(call: { readonly callId: string }, subCallId: string | null, seq: number, startedAt: number, args: string, endedAt: number | null): Delegation {
  const parsed = tryJson(args)
  const named = isRecord(parsed) ? (parsed['description'] ?? parsed['label']) : null
  const background = isRecord(parsed) && parsed['run_in_background'] === true
  return { seq, callId: call.callId, subCallId, label: typeof named === 'string' ? named : null, childId: null, startedAt, endedAt: background ? null : endedAt }
}

/** Names the children of v0–v2 parents, as far as exactly one call fits. Linking twice changes nothing. */
export function linkFamilies(sessions: readonly SessionReport[]): SessionReport[] {
  const children = groupBy(sessions.filter((s) => s.parent?.kind === 'subagent'), (s) => s.parent?.id)
  return sessions.map((session) => {
    const known = new Set(session.delegations.map((d) => d.childId))
    const orphans = (children.get(session.id) ?? []).filter((c) => !known.has(c.id))
    if (orphans.length === 0) return session
    const taken = new Map<Delegation, string | null>()
    for (const child of orphans) {
      const fits = session.delegations.filter((d) => d.childId === null && startedBy(d, child))
      const [only] = fits
      if (only && fits.length === 1) taken.set(only, taken.has(only) ? null : child.id)
    }
    return { ...session, delegations: session.delegations.map((d) => ({ ...d, childId: d.childId ?? taken.get(d) ?? null })) }
  })
}

function startedBy(d: Delegation, child: SessionReport): boolean {
  const born = child.createdAt
  if (born === null || d.startedAt === null || born < d.startedAt || (d.endedAt !== null && born > d.endedAt)) return false
  return d.label === null || child.label === null || d.label === child.label
}
