/**
 * Parents and their delegated children. From format 3 on the parent's log names the child (`subagent/catalog`); before,
 * a child is matched to the parent's `subagent` call by its label and by its birth within the call (background calls
 * return at once, so their end is no limit). A call that fits no child, or two equally well, stays unlinked.
 */
import { isRecord, tryJson } from '../model/canonical.ts'
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
  const open = calls.map((c) => ({ ...c }))
  const rest: Delegation[] = []
  for (const { childId, seq, label, callId } of catalogued) {
    const call = open.findLast((c) => c.childId === null && c.seq < seq && (label === null || c.label === null || c.label === label))
    if (call) call.childId = childId
    else rest.push({ seq, callId, subCallId: null, label, childId, startedAt: null, endedAt: null })
  }
  return [...open, ...rest].toSorted((a, b) => a.seq - b.seq)
}

function delegation(call: { readonly callId: string }, subCallId: string | null, seq: number, startedAt: number, args: string, endedAt: number | null): Delegation {
  const parsed = tryJson(args)
  const named = isRecord(parsed) ? (parsed['description'] ?? parsed['label']) : null
  const background = isRecord(parsed) && parsed['run_in_background'] === true
  return { seq, callId: call.callId, subCallId, label: typeof named === 'string' ? named : null, childId: null, startedAt, endedAt: background ? null : endedAt }
}

/** Names the children of v0–v2 parents, as far as exactly one call fits. Linking twice changes nothing. */
export function linkFamilies(sessions: readonly SessionReport[]): SessionReport[] {
  const children = new Map<string, SessionReport[]>()
  for (const s of sessions) if (s.parent?.kind === 'subagent') children.set(s.parent.id, [...(children.get(s.parent.id) ?? []), s])
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
