/** A small change of the program that would deliver the answer. */
import type { Program } from 'acorn'
import type { AskedItem } from './answers.ts'
import type { Replayer } from './replay.ts'
import type { Fix, ItemFlow, ItemReplay, ProgramInput } from './types.ts'

export async function suggestFix(_input: ProgramInput, _ast: Program, _item: AskedItem, _flow: ItemFlow | null, _replay: ItemReplay | null, _replayer: Replayer | null): Promise<Fix | null> {
  return null
}
