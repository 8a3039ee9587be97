import type { Call, Dispatch, Receipt, Round } from '../model/session.ts'
import type { FactContext } from './index.ts'

/** A call that did something itself: a nested dispatch, a native call, or a program that dispatched nothing. */
export interface LeafCall {
  readonly name: string
  readonly call: Call
  /** Null: the outer call itself. */
  readonly dispatch: Dispatch | null
  readonly seq: number
  readonly line: number
  readonly time: number
  /** Null: never settled. */
  readonly outcome: Receipt | Call['result']
  /** Tool + canonical arguments, volatile parts removed. */
  readonly key: string
  /** Error flag + result, volatile parts removed; null while unsettled. */
  readonly outcomeKey: string | null
  readonly round: Round | null
  readonly inherited: boolean
}

export function leafCallsFact(_context: FactContext): readonly LeafCall[] {
  return []
}
