import type { Session } from '../model/session.ts'
import type { Activity } from './activity.ts'
import type { FactContext } from './context.ts'
import type { LeafCall } from './leaf-calls.ts'
import { isInfrastructureFailure, type Act } from './tools.ts'

/** The same calls with the same outcomes, over and over. */
export interface Cycle {
  readonly period: number
  readonly repeats: number
  /** The whole row, in log order. */
  readonly calls: readonly LeafCall[]
}

/** A file that came back to an earlier content again and again. */
export interface FlipFlop {
  readonly path: string
  readonly goalId: string
  /** The calls that led back to the content it came back to most often. */
  readonly returns: readonly LeafCall[]
}

export interface LoopFacts {
  readonly cycles: readonly Cycle[]
  /** Failures of one tool in a row with one kind of error under varying arguments. */
  readonly drifts: readonly { readonly calls: readonly LeafCall[]; readonly error: string }[]
  readonly flipFlops: readonly FlipFlop[]
}

export async function loopsFact({ session, get }: FactContext<{ leafCalls: readonly LeafCall[]; activity: Activity }>): Promise<LoopFacts> {
  const leaves = (await get('leafCalls')).filter((l) => !l.inherited)
  const activity = await get('activity')
  return { cycles: cyclesOf(session, leaves, activity), drifts: driftsOf(session, leaves), flipFlops: flipFlopsOf(leaves, activity) }
}

// --- cycles ----------------------------------------------------------------------------------------------------------

const LONGEST_PERIOD = 12
const BESIDE: ReadonlySet<Act> = new Set(['goal', 'todo', 'question', 'poll', 'ask'])
const REPEATS = { one: 5, oneFailing: 4, more: 4 } as const

/**
 * Rows in which every call equals the one `period` calls before it. A human message ends a row; rows only about the goal,
 * the task list, questions or looks outside, and rows with a look that changed later, are no loops.
 */
function cyclesOf(session: Session, calls: readonly LeafCall[], { polls }: Activity): Cycle[] {
  const human = epochs(session, calls)
  const nameOf = (l: LeafCall, i: number): string => {
    if (!l.outcome || l.outcomeKey === null || isInfrastructureFailure(l)) return `alone ${i}`
    // What goal tools give back counts the rounds, and that is what they are asked for.
    return `${human[i]} ${l.key} ${l.act === 'goal' ? l.outcome.text.hash : l.outcomeKey}`
  }
  const names = calls.map(nameOf)
  const taken = new Uint8Array(calls.length)
  const found: Cycle[] = []
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
    for (let i = period, equal = 0; i <= names.length; i += 1) {
      if (i < names.length && names[i] === names[i - period]) {
        equal += 1
        continue
      }
      const start = i - equal - period
      const repeats = Math.floor((i - start) / period)
      if (repeats >= REPEATS.oneFailing && taken[start] === 0 && taken[i - 1] === 0) {
        const row = calls.slice(start, i)
        if (repeats >= leastRepeats(period, row)) {
          taken.fill(1, start, i)
          if (!row.every((l) => BESIDE.has(l.act)) && !row.some((l) => polls.has(l))) found.push({ period, repeats, calls: row })
        }
      }
      equal = 0
    }
  }
  return found.toSorted((a, b) => (a.calls[0]?.seq ?? 0) - (b.calls[0]?.seq ?? 0))
}

function leastRepeats(period: number, row: readonly LeafCall[]): number {
  return period > 1 ? REPEATS.more : row.every((l) => l.failed) ? REPEATS.oneFailing : REPEATS.one
}

/** Per call, how many human messages came before it. */
function epochs({ messages }: Session, calls: readonly LeafCall[]): number[] {
  const spoken = messages.filter((m) => m.source.kind === 'user' && m.appended).map((m) => m.seq)
  let humans = 0
  return calls.map(({ seq }) => {
    while ((spoken[humans] ?? Infinity) < seq) humans += 1
    return humans
  })
}

// --- drifts ----------------------------------------------------------------------------------------------------------

const DRIFT = 8

function driftsOf(session: Session, leaves: readonly LeafCall[]): LoopFacts['drifts'] {
  const human = epochs(session, leaves)
  const drifts: { calls: readonly LeafCall[]; error: string }[] = []
  let row: LeafCall[] = []
  let name = ''
  const close = (): void => {
    if (row.length >= DRIFT && new Set(row.map((l) => l.key)).size * 2 > row.length) drifts.push({ calls: row, error: errorOf(row[0]) })
  }
  leaves.forEach((leaf, i) => {
    const next = leaf.failed && !isInfrastructureFailure(leaf) ? `${human[i]} ${leaf.name} ${errorClass(leaf)}` : `alone ${i}`
    if (next !== name) {
      close()
      row = []
      name = next
    }
    row.push(leaf)
  })
  close()
  return drifts
}

function errorOf(leaf: LeafCall | undefined): string {
  return leaf?.outcome?.text.value.trim().split('\n', 1)[0]?.slice(0, ERROR_CHARS) ?? ''
}

/** What tells one error from another stands at its front. */
const ERROR_CHARS = 500

/** The error's code, else its first line without what varies: quoted parts, paths, numbers. */
function errorClass(leaf: LeafCall): string {
  return leaf.outcome?.error?.code ?? errorOf(leaf).replace(/"[^"]*"|'[^']*'|`[^`]*`|\S*[/\\]\S*|\d+/g, '*')
}

// --- flip-flops ------------------------------------------------------------------------------------------------------

const RETURNS = 2

function flipFlopsOf(leaves: readonly LeafCall[], { changes }: Activity): FlipFlop[] {
  const returns = new Map<string, { path: string; goalId: string; calls: LeafCall[] }>()
  for (const leaf of leaves) {
    const change = changes.get(leaf)
    if (!change || change.isNew || change.path === null || !leaf.round) continue
    const { goalId } = leaf.round
    const key = `${goalId} ${change.state}`
    const known = returns.get(key)
    if (known) known.calls.push(leaf)
    else returns.set(key, { path: change.path, goalId, calls: [leaf] })
  }
  const most = new Map<string, FlipFlop>()
  for (const { path, goalId, calls } of returns.values()) {
    const key = `${goalId} ${path}`
    if (calls.length >= RETURNS && calls.length > (most.get(key)?.returns.length ?? 0)) most.set(key, { path, goalId, returns: calls })
  }
  return [...most.values()]
}
