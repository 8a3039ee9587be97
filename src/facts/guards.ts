import type { FactContext } from './index.ts'

export interface GuardFacts {
  readonly denials: readonly unknown[]
}

export function guardsFact(_context: FactContext): GuardFacts {
  return { denials: [] }
}
