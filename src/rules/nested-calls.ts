/** Nested calls as the rules about programs need them. */
import type { LeafCall } from '../facts/leaf-calls.ts'
import { actOf } from '../facts/tools.ts'
import type { Call } from '../model/session.ts'

/** The nested calls of every program, in log order. */
export function byProgram(leafCalls: readonly LeafCall[]): Map<Call, LeafCall[]> {
  const groups = new Map<Call, LeafCall[]>()
  for (const leaf of leafCalls) {
    if (leaf.dispatch === null) continue
    const group = groups.get(leaf.call)
    if (group) group.push(leaf)
    else groups.set(leaf.call, [leaf])
  }
  return groups
}

/** It wrote or edited a file, or ran a command that does. */
export function changesFiles(leaf: LeafCall): boolean {
  const act = actOf(leaf)
  return act.kind === 'write' || act.kind === 'edit' || (act.kind === 'shell' && act.does === 'change')
}
