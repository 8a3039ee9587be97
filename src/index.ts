/** Library surface. */
export { diagnose, readSession, type DiagnoseOptions } from './diagnose.ts'
export { InputError, UsageError } from './errors.ts'
export { programCode, versionsOf, type Session } from './model/session.ts'
export { reportSchema, SCHEMA_VERSION } from './report/schema.ts'
export type { AnswerReport, AnswerState, Certainty, Evidence, Finding, GoalReport, IdleKind, Incident, Report, RoundReport, RoundState, SessionReport, Severity } from './report/schema.ts'
export type { Trace, TraceRow } from './report/trace.ts'
export { trace } from './trace.ts'
export { version } from './version.ts'
