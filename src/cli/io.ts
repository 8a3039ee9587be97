import type { DiagnoseOptions } from '../diagnose.ts'
import type { Report } from '../report/schema.ts'

/** The process, as far as the command line needs it. */
export interface Io {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly stdin: AsyncIterable<Uint8Array>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Calls `stop` at the first Ctrl-C instead of ending the process; gives what undoes that. */
  readonly onInterrupt: (stop: () => void) => () => void
}

interface Sink {
  write(text: string): unknown
  once?(event: 'error', listener: () => void): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export type Diagnose = (paths: readonly string[], options: DiagnoseOptions) => Promise<Report>
