/**
 * The same call again and again, seen with the eyes of the harness's repeat reminder (dsh-repeat-tool-reminder): one chain
 * per agent over tool name and canonical arguments, advanced by every call, nested or outer, in the order they end; only a
 * human message or a restart clears it. It speaks at the 3rd, 5th and 8th call of a chain.
 */
import type { Session, UserMessage } from '../model/session.ts'
import type { LeafCall } from './leaf-calls.ts'

/** Fewer repetitions are ordinary caution. */
const MANY = 5
const REMINDER = 'repeat-tool-reminder'

export interface Repeats {
  /** Chains the reminder would have counted, all with one outcome, that got no reminder. */
  readonly unreminded: readonly (readonly LeafCall[])[]
  /** Nested calls in programs of their own, all with one outcome: `run_code` stands between them, so no chain forms. */
  readonly laundered: readonly (readonly LeafCall[])[]
  /** Calls that went on unchanged after a reminder had reached the model. */
  readonly ignored: readonly { readonly reminder: UserMessage; readonly calls: readonly LeafCall[] }[]
}

export function repeatsOf(session: Session, leafCalls: readonly LeafCall[]): Repeats {
  const calls = leafCalls.filter((c) => !c.inherited)
  const cuts = cutsOf(session)
  const isPoll = pollsAmong(calls)
  const idle = (run: readonly LeafCall[], least: number): boolean => run.length >= least && !isInfrastructure(run) && !isPoll(run)
  const isReminded = reminders(session)
  return {
    unreminded: chainsOf(calls, cuts).filter((run) => idle(run, MANY) && !isReminded(run)),
    laundered: runsOf(calls, cuts, (a, b) => sameOutcome(a, b) && a.key === b.key && a.dispatch !== null && b.dispatch !== null && a.call !== b.call)
      .filter((run) => idle(run, MANY)),
    ignored: ignoredOf(session, calls, cuts).filter((found) => idle(found.calls, 2)),
  }
}

function sameOutcome(a: LeafCall, b: LeafCall): boolean {
  return a.outcomeKey !== null && a.outcomeKey === b.outcomeKey
}

/** Rows that clear the chain, ascending: human messages and process starts. */
function cutsOf({ messages, endSeeds }: Session): readonly number[] {
  return [...messages.filter((m) => m.source.kind === 'user' && m.appended).map((m) => m.seq), ...endSeeds.map((e) => e.seq)].toSorted((a, b) => a - b)
}

/** Splits calls into runs of neighbours that belong together; `cuts` separate too. */
function runsOf(calls: readonly LeafCall[], cuts: readonly number[], same: (a: LeafCall, b: LeafCall) => boolean): LeafCall[][] {
  const runs: LeafCall[][] = []
  let next = 0
  for (const call of calls) {
    let cut = false
    for (; (cuts[next] ?? Infinity) < call.seq; next += 1) cut = true
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run && last && !cut && same(last, call)) run.push(call)
    else runs.push([call])
  }
  return runs
}

/** Chains of equal calls with equal outcomes. The outer `run_code` of nested calls ends their chain. */
function chainsOf(calls: readonly LeafCall[], cuts: readonly number[]): LeafCall[][] {
  const inOrder = calls.filter((c) => c.outcome !== null).toSorted((a, b) => (a.outcome?.seq ?? 0) - (b.outcome?.seq ?? 0))
  return runsOf(inOrder, cuts, (a, b) => sameOutcome(a, b) && a.name === b.name && a.arguments.hash === b.arguments.hash
    && (a.dispatch === null ? b.dispatch === null : a.call === b.call))
}

/**
 * A reminder reaches the model before the step after the chain ends; where a log stops earlier it does not tell, and the
 * chain counts as reminded.
 */
function reminders({ messages, inbox, turns }: Session): (run: readonly LeafCall[]) => boolean {
  const spoken = [...messages, ...inbox].filter((m) => m.source.kind === REMINDER).map((m) => m.seq).toSorted((a, b) => a - b)
  const ends = turns.flatMap((t) => [...t.steps.map((s) => s.endSeq), t.end?.seq ?? null]).filter((seq) => seq !== null)
  return (run) => {
    const until = after(ends, run.at(-1)?.call.result?.seq ?? Infinity)
    return until === null || (after(spoken, run[0]?.outcome?.seq ?? 0) ?? Infinity) <= until
  }
}

/** The first of ascending numbers that is greater. */
function after(ascending: readonly number[], seq: number): number | null {
  let low = 0
  for (let high = ascending.length; low < high;) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? Infinity) > seq) high = middle
    else low = middle + 1
  }
  return ascending[low] ?? null
}

/** For each reminder the equal calls right after it; a reminder inside such a row belongs to the row. */
function ignoredOf(session: Session, calls: readonly LeafCall[], cuts: readonly number[]): Repeats['ignored'] {
  const found: { reminder: UserMessage; calls: readonly LeafCall[] }[] = []
  let next = 0
  for (const reminder of session.messages) {
    if (reminder.source.kind !== REMINDER || !reminder.appended || reminder.inherited) continue
    while ((calls[next]?.seq ?? Infinity) < reminder.seq) next += 1
    const tool = /^(\S+) × \d+$/.exec(reminder.source.summary ?? '')?.[1]
    const reminded = calls.slice(Math.max(0, next - MANY), next).findLast((c) => tool === undefined || c.name === tool)
    if (!reminded || reminder.seq < (found.at(-1)?.calls.at(-1)?.seq ?? 0)) continue
    const until = after(cuts, reminder.seq) ?? Infinity
    let end = next
    for (let c = calls[end]; c && c.seq < until && c.key === reminded.key && sameOutcome(c, reminded); c = calls[end]) end += 1
    if (end > next) found.push({ reminder, calls: calls.slice(next, end) })
  }
  return found
}

/** Tools that only look, and those by which the agent talks about itself: after them nothing else has changed. */
const LOOKS: ReadonlySet<string> = new Set([
  'read', 'read_image', 'grep', 'glob', 'job_list', 'job_output', 'list_agents', 'get_goal', 'update_goal', 'todo_write', 'ask_user_question', 'skill',
  'web_fetch', 'web_search',
])
/** Their outcome is never the agent's doing. */
const JOBS: ReadonlySet<string> = new Set(['job_list', 'job_output', 'list_agents'])

/**
 * Tells polls: after the row the same call saw another outcome, and nothing the agent did in between can have caused it.
 * A test run that turns green after an edit is none.
 */
function pollsAmong(calls: readonly LeafCall[]): (run: readonly LeafCall[]) => boolean {
  /** Per call: the acts before it, and those of its own key. */
  const acts = new Map<LeafCall, { readonly all: number; readonly own: number }>()
  const ownActs = new Map<string, number>()
  let all = 0
  for (const call of calls) {
    const own = ownActs.get(call.key) ?? 0
    acts.set(call, { all, own })
    if (LOOKS.has(call.name)) continue
    all += 1
    ownActs.set(call.key, own + 1)
  }
  /** Per call: the next one with its key and another outcome. */
  const change = new Map<LeafCall, LeafCall | null>()
  const following = new Map<string, LeafCall>()
  for (const call of calls.toReversed()) {
    const next = following.get(call.key)
    change.set(call, !next || next.outcomeKey === null ? null : sameOutcome(call, next) ? (change.get(next) ?? null) : next)
    following.set(call.key, call)
  }
  return (run) => {
    const last = run.at(-1)
    const changed = last && change.get(last)
    const from = last && acts.get(last)
    const to = changed && acts.get(changed)
    return !!last && !!from && !!to && (JOBS.has(last.name) || to.all - from.all === to.own - from.own)
  }
}

/** Servers that are down or busy are no fault of the caller. A long text only mentions such things. */
function isInfrastructure(run: readonly LeafCall[]): boolean {
  const text = run[0]?.outcome?.text
  return text !== undefined && text.length < 2000
    && /\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|error)[ :=]{1,3}(?:429|50[0234])\b|\b(?:429 Too Many Requests|50[0234] (?:Internal Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out))|\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENOTFOUND)\b|connection (?:refused|reset|timed out)/i.test(text.value)
}
