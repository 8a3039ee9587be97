import { judgeLog } from '../diagnose.ts'
import { inputErrorOf } from '../errors.ts'
import { createProgramAnalyser, type ProgramAnalyser } from '../programs/index.ts'
import { failureOf } from '../report/failure.ts'
import type { LogSource } from '../source/log-source.ts'
import { rowOf, type Outcome } from './row.ts'

export interface Judge {
  /** Whatever one log does, the others go on. */
  readonly judge: (log: LogSource) => Promise<Outcome>
  readonly close: () => Promise<void>
}

export function createJudge(replay: boolean): Judge {
  const programs = createProgramAnalyser({ replay })
  return { judge: async (log) => judgeOne(log, programs), close: async () => programs.close() }
}

async function judgeOne(log: LogSource, programs: ProgramAnalyser): Promise<Outcome> {
  try {
    const { report, failures } = await judgeLog(log, programs)
    return { row: rowOf(report), failures }
  } catch (error) {
    return { row: null, failures: [failureOf(inputErrorOf(error, log.name))] }
  }
}
