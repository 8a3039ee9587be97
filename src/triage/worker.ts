/** A thread that judges one log after the other. */
import { parentPort } from 'node:worker_threads'
import { failureOf, judgeLog } from '../diagnose.ts'
import { inputErrorOf } from '../errors.ts'
import { createProgramAnalyser, type ProgramAnalyser } from '../programs/index.ts'
import { fileBytes } from '../source/open.ts'
import type { LogSource } from '../source/log-source.ts'
import { rowOf, type Outcome } from './row.ts'

/** A log without what cannot be sent to a thread. */
export interface Job {
  readonly log: Omit<LogSource, 'open'>
  readonly file: string
  readonly replay: boolean
}

let programs: ProgramAnalyser | null = null

parentPort?.on('message', ({ log, file, replay }: Job) => {
  programs ??= createProgramAnalyser({ replay })
  void judgeOne({ ...log, open: () => fileBytes(file, log.name) }, programs).then((outcome) => parentPort?.postMessage(outcome))
})

/** Whatever one log does, the others go on. */
export async function judgeOne(log: LogSource, analyser: ProgramAnalyser): Promise<Outcome> {
  try {
    const { report, failures } = await judgeLog(log, analyser)
    return { row: rowOf(report), failures }
  } catch (error) {
    return { row: null, failures: [failureOf(inputErrorOf(error, log.name))] }
  }
}
