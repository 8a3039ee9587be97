import type { Round } from '../model/session.ts'
import type { FactContext } from './index.ts'
import type { Certainty, IdleKind, RoundState } from './vocabulary.ts'

export interface RoundFact {
  readonly round: Round
  readonly state: RoundState
  readonly certainty: Certainty
  /** Idle rounds only. */
  readonly kind: IdleKind | null
  /** Short reasons a person can check, e.g. "same 2 calls, same results as round 27". */
  readonly why: readonly string[]
  readonly tokens: { readonly input: number; readonly output: number }
  readonly ms: number
}

export function roundsFact(_context: FactContext): readonly RoundFact[] {
  return []
}
