/** How the threads share the logs: each takes the next one that nobody has taken, so that none ever waits for orders. */
import type { LogSource } from '../source/log-source.ts'
import type { Outcome } from './row.ts'

export interface Work {
  readonly jobs: readonly Job[]
  /** Per log: who took it, 0 when nobody did. All threads see the same memory. */
  readonly takenBy: Int32Array
  readonly replay: boolean
  /** Number of the thread that gets this. */
  readonly self: number
}

/** A log without what cannot be sent to a thread. */
export interface Job {
  /** In the list of all logs. */
  readonly place: number
  readonly log: Omit<LogSource, 'open'>
  readonly file: string
}

export interface Judged {
  readonly place: number
  readonly outcome: Outcome
}

/** Whether the log is ours now. */
export function take(takenBy: Int32Array, place: number, self: number): boolean {
  return Atomics.compareExchange(takenBy, place, 0, self) === 0
}
