import type { Session } from '../model/session.ts'
import type { ProgramAnalyser } from '../programs/index.ts'

/** What a fact is computed from: the session, the program analyser, and the other facts it names in `Needs`. */
export interface FactContext<Needs = object> {
  readonly session: Session
  readonly programs: ProgramAnalyser
  readonly get: <N extends keyof Needs>(name: N) => Promise<Needs[N]>
}
