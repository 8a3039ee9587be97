import { firstIndex } from '../model/ascending.ts'
import { spokenSeqs, type Session } from '../model/session.ts'
import type { Activity } from './activity.ts'
import type { FactContext } from './context.ts'
import type { LeafCall } from './leaf-calls.ts'
import { runsOf } from './runs.ts'
import { fileChange, isInfrastructureFailure, type Act } from './tools.ts'

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
  const spoken = spokenSeqs(session)
  const human = calls.map(({ seq }) => firstIndex(spoken.length, (i) => (spoken[i] ?? Infinity) >= seq))
  // What goal tools give back counts the rounds, and that is what they are asked for.
  const outcomes = calls.map((l) => (!l.outcome || l.outcomeKey === null || isInfrastructureFailure(l) ? null : l.act === 'goal' ? l.outcome.text.id : l.outcomeKey))
  const isSame = (a: number, b: number): boolean => outcomes[a] !== null && outcomes[a] === outcomes[b] && human[a] === human[b] && calls[a]?.key === calls[b]?.key
  const taken = new Uint8Array(calls.length)
  const found: Cycle[] = []
  for (let period = 1; period <= LONGEST_PERIOD; period += 1) {
    for (let i = period, equal = 0; i <= calls.length; i += 1) {
      if (i < calls.length && isSame(i, i - period)) {
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

// --- drifts ----------------------------------------------------------------------------------------------------------

const DRIFT = 8

function driftsOf(session: Session, leaves: readonly LeafCall[]): LoopFacts['drifts'] {
  return runsOf(leaves, spokenSeqs(session), failAlike, isDrift).map((calls) => ({ calls, error: errorOf(calls[0]) }))
}

function isDrift(row: readonly LeafCall[]): boolean {
  return row.length >= DRIFT && new Set(row.map((l) => l.key)).size * 2 > row.length
}

function failAlike(a: LeafCall, b: LeafCall): boolean {
  return a.failed && b.failed && a.name === b.name && errorClass(a) === errorClass(b) && !isInfrastructureFailure(a) && !isInfrastructureFailure(b)
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
    const state = changes.get(leaf)?.backTo ?? null
    const path = state === null ? undefined : fileChange(leaf)?.path
    if (path === undefined || !leaf.round) continue
    const { goalId } = leaf.round
    const key = `${goalId} ${path} ${state}`
    const known = returns.get(key)
    if (known) known.calls.push(leaf)
    else returns.set(key, { path, goalId, calls: [leaf] })
  }
  const most = new Map<string, FlipFlop>()
  for (const { path, goalId, calls } of returns.values()) {
    const key = `${goalId} ${path}`
    if (calls.length >= RETURNS && calls.length > (most.get(key)?.returns.length ?? 0)) most.set(key, { path, goalId, returns: calls })
  }
  return [...most.values()]
}
