/** Messages between the replayer and its worker thread. */
import type { NestedCall } from './types.ts'

export interface ReplayedProgram {
  /** JavaScript body: types are erased. */
  readonly javascript: string
  readonly calls: readonly NestedCall[]
  /** See `receipts.ts`. */
  readonly variant: number
}

/** Another answer: the receipt of this call is replaced. */
export interface ChangedReceipt { readonly subCallId: string; readonly text: string }

export interface RunRequest extends ReplayedProgram {
  /** Null: the recorded run; then every call must be the recorded one. */
  readonly receipt: ChangedReceipt | null
  readonly limits: RunLimits
}

/** One message: a run per receipt. They come back one by one, then `'done'`. */
export interface RunBatch extends ReplayedProgram {
  readonly receipts: readonly (ChangedReceipt | null)[]
  /** No further run is begun, and the last one does not come back, once they have done more work than this together. */
  readonly polls: number
  readonly limits: RunLimits
}

export interface RunLimits {
  /** Polls of the interpreter's interrupt handler: a measure of work that does not depend on the machine. */
  readonly polls: number
  readonly outputChars: number
  readonly calls: number
}

export interface MadeCall { readonly tool: string; /** JSON text. */ readonly arguments: string }

export interface FinishedRun {
  readonly kind: 'finished'
  /** `null`: success. `stuck`: the program waits for something that never comes. */
  readonly failure: 'exception' | 'invalid-output' | 'stuck' | null
  /** Success: the rendered return value; exception: first lines of the stack. */
  readonly text: string
  readonly logs: readonly string[]
  readonly calls: readonly MadeCall[]
  /** Results of calls that are not in the log were served. */
  readonly assumedResults: boolean
  /** Work done, see `RunLimits`. */
  readonly polls: number
}

export interface VoidRun { readonly kind: 'void'; readonly because: string; /** A limit was reached: it may never end. */ readonly endless: boolean; readonly calls: readonly MadeCall[]; readonly polls: number }

export type Run = FinishedRun | VoidRun
