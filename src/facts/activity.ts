import type { FactContext } from './context.ts'
import type { LeafCall } from './leaf-calls.ts'
import { News } from './news.ts'
import { waitsOf, type Wait } from './outside.ts'
import { actOf, asksElsewhere, type Act } from './tools.ts'
import { Workspace, type Change } from './workspace.ts'

/** What every leaf call did and told, and what was waited for. */
export interface Activity {
  readonly acts: ReadonlyMap<LeafCall, Act>
  /** What the calls did to the workspace. A status file, in which only volatile parts ever differ, does not count. */
  readonly changes: ReadonlyMap<LeafCall, Change>
  /** Told the model something it had not been told before in this goal. */
  readonly told: ReadonlySet<LeafCall>
  readonly waits: readonly Wait[]
  /** Looks at something outside that changed later. */
  readonly polls: ReadonlySet<LeafCall>
}

export async function activityFact({ session, get }: FactContext<{ leafCalls: readonly LeafCall[] }>): Promise<Activity> {
  const leaves = await get('leafCalls')
  const acts = new Map(leaves.map((leaf) => [leaf, actOf(leaf)]))
  const changes = new Map<LeafCall, Change>()
  const isStatus = statusWrites(leaves, acts)
  const told = new Set<LeafCall>()
  const changesAt = new Map<LeafCall, number>()
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
    const found = news.of(group, acts, workspace)
    for (const [leaf, change] of found.changes) if (!isStatus(leaf)) changes.set(leaf, change)
    for (const leaf of found.told) told.add(leaf)
    for (const leaf of group) changesAt.set(leaf, asksElsewhere(leaf, acts.get(leaf) ?? { kind: 'other' }) ? workspace.commands : workspace.changes)
  }
  const waits = waitsOf(session, leaves, acts, changesAt)
  return { acts, changes, told, waits, polls: new Set(waits.flatMap((w) => w.polls)) }
}

/** Nested calls of one program stand next to each other. */
function byCall(leaves: readonly LeafCall[]): LeafCall[][] {
  const groups: LeafCall[][] = []
  for (const leaf of leaves) {
    const group = groups.at(-1)
    if (group?.[0]?.call === leaf.call) group.push(leaf)
    else groups.push([leaf])
  }
  return groups
}

/** Times a file must be rewritten with nothing but volatile differences to be taken for a status file from its first writing. */
const STATUS_WRITES = 3

function statusWrites(leaves: readonly LeafCall[], acts: ReadonlyMap<LeafCall, Act>): (leaf: LeafCall) => boolean {
  const texts = new Map<string, Set<string>>()
  for (const leaf of leaves) {
    const act = acts.get(leaf)
    if (act?.kind !== 'write' && !(act?.kind === 'shell' && act.does === 'note')) continue
    const known = texts.get(leaf.key)
    if (known) known.add(leaf.arguments.hash)
    else texts.set(leaf.key, new Set([leaf.arguments.hash]))
  }
  return (leaf) => (texts.get(leaf.key)?.size ?? 0) >= STATUS_WRITES
}
