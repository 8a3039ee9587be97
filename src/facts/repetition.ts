/**
 * The same call again and again, seen with the eyes of the harness's repeat reminder (dsh-repeat-tool-reminder): one chain
 * per agent over tool name and canonical arguments, advanced by every call, nested or outer, in the order they end; only a
 * human message or a restart clears it. It speaks at the 3rd, 5th and 8th call of a chain.
 */
import { firstAfter } from '../model/ascending.ts'
import { spokenSeqs, type Session, type UserMessage } from '../model/session.ts'
import type { LeafCall } from './leaf-calls.ts'
import { runsOf } from './runs.ts'
import { isInfrastructureFailure } from './tools.ts'

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

/** `polls`: looks at something outside that changed later; they are no repetition, and neither are calls to servers that are down. */
export function repeatsOf(session: Session, leafCalls: readonly LeafCall[], polls: ReadonlySet<LeafCall>): Repeats {
  const calls = leafCalls.filter((c) => !c.inherited)
  const cuts = cutsOf(session)
  const idle = (run: readonly LeafCall[], least: number): boolean => run.length >= least && !run.some((c) => polls.has(c) || isInfrastructureFailure(c))
  const isReminded = reminders(session)
  return {
    unreminded: chainsOf(calls, cuts, (run) => idle(run, MANY) && !isReminded(run)),
    laundered: runsOf(calls, cuts, (a, b) => sameOutcome(a, b) && a.key === b.key && a.dispatch !== null && b.dispatch !== null && a.call !== b.call, (run) => idle(run, MANY)),
    ignored: ignoredOf(session, calls, cuts).filter((found) => idle(found.calls, 2)),
  }
}

function sameOutcome(a: LeafCall, b: LeafCall): boolean {
  return a.outcomeKey !== null && a.outcomeKey === b.outcomeKey
}

/** Rows that clear the chain, ascending: human messages and process starts. */
function cutsOf(session: Session): readonly number[] {
  return [...spokenSeqs(session), ...session.endSeeds.map((e) => e.seq)].toSorted((a, b) => a - b)
}

/** Chains of equal calls with equal outcomes. The outer `run_code` of nested calls ends their chain. */
function chainsOf(calls: readonly LeafCall[], cuts: readonly number[], passes: (run: readonly LeafCall[]) => boolean): (readonly LeafCall[])[] {
  const inOrder = calls.filter((c) => c.outcome !== null).toSorted((a, b) => (a.outcome?.seq ?? 0) - (b.outcome?.seq ?? 0))
  return runsOf(inOrder, cuts, (a, b) => sameOutcome(a, b) && a.name === b.name && a.arguments === b.arguments
    && (a.dispatch === null ? b.dispatch === null : a.call === b.call), passes)
}

/**
 * A reminder reaches the model before the step after the chain ends; where a log stops earlier it does not tell, and the
 * chain counts as reminded.
 */
function reminders({ messages, inbox, turns }: Session): (run: readonly LeafCall[]) => boolean {
  const spoken = [...messages, ...inbox].filter((m) => m.source.kind === REMINDER).map((m) => m.seq).toSorted((a, b) => a - b)
  const ends = turns.flatMap((t) => [...t.steps.map((s) => s.endSeq), t.end?.seq ?? null]).filter((seq) => seq !== null)
  return (run) => {
    const until = firstAfter(ends, run.at(-1)?.call.result?.seq ?? Infinity)
    return until === undefined || (firstAfter(spoken, run[0]?.outcome?.seq ?? 0) ?? Infinity) <= until
  }
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
    const until = firstAfter(cuts, reminder.seq) ?? Infinity
    let end = next
    for (let c = calls[end]; c && c.seq < until && c.key === reminded.key && sameOutcome(c, reminded); c = calls[end]) end += 1
    if (end > next) found.push({ reminder, calls: calls.slice(next, end) })
  }
  return found
}
