import type { FactContext } from './context.ts'
import { byCall, type LeafCall } from './leaf-calls.ts'
import { News } from './news.ts'
import { waitsOf, type Wait } from './outside.ts'
import { asksElsewhere } from './tools.ts'
import { Workspace, type Change } from './workspace.ts'

/** What the leaf calls did and told, and what was waited for. */
export interface Activity {
  /** What the calls did to the workspace. A status file, in which only volatile parts ever differ, does not count. */
  readonly changes: ReadonlyMap<LeafCall, Change>
  /** Told the model something it had not been told before in this goal. */
  readonly told: ReadonlySet<LeafCall>
  /** Without single looks at what perhaps is not outside: most calls that are ever repeated are such. */
  readonly waits: readonly Wait[]
  /** Looks at something outside that changed later. */
  readonly polls: ReadonlySet<LeafCall>
}

export async function activityFact({ session, get }: FactContext<{ leafCalls: readonly LeafCall[] }>): Promise<Activity> {
  const leaves = await get('leafCalls')
  const changes = new Map<LeafCall, Change>()
  const isStatus = statusWrites(leaves)
  const told = new Set<LeafCall>()
  const changesAt: number[] = []
  const workspace = new Workspace()
  const goalStarts = session.goals.flatMap((g) => g.changes.filter((c) => c.operation === 'create').map((c) => c.seq)).toSorted((a, b) => a - b)
  let news = new News()
  let goals = 0
  for (const group of byCall(leaves)) {
    const seq = group[0]?.call.seq ?? 0
    while ((goalStarts[goals] ?? Infinity) < seq) {
      news = new News()
      goals += 1
    }
    const found = news.of(group, workspace)
    for (const [leaf, change] of found.changes) if (!isStatus(leaf)) changes.set(leaf, change)
    for (const leaf of found.told) told.add(leaf)
    for (const leaf of group) changesAt.push(asksElsewhere(leaf) ? workspace.commands : workspace.changes)
  }
  const waits = waitsOf(session, leaves, changesAt)
  return { changes, told, waits: waits.filter((w) => w.aliveFrom !== null || w.polls.length > 1), polls: new Set(waits.flatMap((w) => w.polls)) }
}

/** Times a file must be rewritten with nothing but volatile differences to be taken for a status file from its first writing. */
const STATUS_WRITES = 3

function statusWrites(leaves: readonly LeafCall[]): (leaf: LeafCall) => boolean {
  const texts = new Map<number, readonly number[]>()
  for (const { act, key, arguments: { id } } of leaves) {
    if (act !== 'write' && act !== 'note') continue
    const known = texts.get(key) ?? []
    if (known.length < STATUS_WRITES && !known.includes(id)) texts.set(key, [...known, id])
  }
  return ({ key }) => texts.get(key)?.length === STATUS_WRITES
}
