import type { DiagnoseOptions } from '../diagnose.ts'
import type { Report } from '../report/schema.ts'
import type { Diagnose, Io } from './io.ts'
import { progressLine } from './progress.ts'

/** Diagnoses the logs with a progress line on the terminal. */
export function analyse(logs: readonly string[], io: Io, diagnose: Diagnose, options: DiagnoseOptions): Promise<Report> {
  const progress = progressLine(io.stderr)
  return diagnose(logs, {
    ...options,
    env: io.env,
    onProgress: progress.onProgress,
    // Only when asked for by name: a job's standard input is often open and empty.
    ...(logs.includes('-') ? { stdin: io.stdin } : {}),
  }).finally(() => progress.end())
}
