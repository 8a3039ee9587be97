import type { FactContext } from './index.ts'

export interface LoopFacts {
  readonly cycles: readonly unknown[]
}

export function loopsFact(_context: FactContext): LoopFacts {
  return { cycles: [] }
}
