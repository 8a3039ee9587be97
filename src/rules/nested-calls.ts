/** Nested calls as the rules about programs need them. */
import { byCall, type LeafCall } from '../facts/leaf-calls.ts'
import type { Call } from '../model/session.ts'

/** The nested calls of every program, in log order. */
export function* byProgram(leafCalls: readonly LeafCall[]): Generator<readonly [Call, readonly LeafCall[]]> {
  for (const nested of byCall(leafCalls)) if (nested[0]?.dispatch) yield [nested[0].call, nested]
}

/** It wrote or edited a file, or ran a command that does. */
export function changesFiles({ act }: LeafCall): boolean {
  return act === 'write' || act === 'edit' || act === 'change'
}
