/** Nested calls as the rules about programs need them. */
import { groupBy } from '../group.ts'
import type { LeafCall } from '../facts/leaf-calls.ts'
import type { Call } from '../model/session.ts'

/** The nested calls of every program, in log order. */
export function byProgram(leafCalls: readonly LeafCall[]): Map<Call, LeafCall[]> {
  return groupBy(leafCalls.filter((leaf) => leaf.dispatch !== null), (leaf) => leaf.call)
}

/** It wrote or edited a file, or ran a command that does. */
export function changesFiles({ act }: LeafCall): boolean {
  return act === 'write' || act === 'edit' || act === 'change'
}
