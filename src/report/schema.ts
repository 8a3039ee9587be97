/**
 * The report is the product: one plain JSON object; every output is a pure function of it.
 * Within `schemaVersion` 1 fields may be added, never renamed or removed.
 *
 * Units: times are epoch ms, durations ms, sizes bytes; `seq` is the harness's event number inside one log,
 * `line` the 1-based line of the decoded log text.
 */
import { z } from 'zod'
import { answerStates, certainties, evidenceKinds, idleKinds, roundStates, severities, type Json } from '../facts/vocabulary.ts'

export const SCHEMA_VERSION = 1

const severity = z.enum(severities)
const certainty = z.enum(certainties)
const seq = z.int().nonnegative()
const json: z.ZodType<Json> = z.json()

/** One piece of evidence for an answer's state. */
export const evidenceSchema = z.object({
  /** replay · dataflow · fixed-point · literal · surface · code (a service code or text) */
  kind: z.enum(evidenceKinds),
  text: z.string(),
})

/** A before → after change of the program, checked to parse and, where replay was valid, replayed. */
export const fixSchema = z.object({
  text: z.string(),
  line: z.int().positive().nullable(),
  before: z.string(),
  after: z.string(),
  verified: z.enum(['replayed', 'parsed']),
})

export const answerSchema = z.object({
  questionId: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  turn: z.int().nullable(),
  step: z.int().nullable(),
  goalRound: z.int().nullable(),
  callId: z.string(),
  /** Null for a native call. */
  subCallId: z.string().nullable(),
  askedSeq: seq,
  /** The row that settled the question: the receipt, or the result of a native call. */
  settledSeq: seq.nullable(),
  /** The outer `tool/result`. */
  outerSeq: seq.nullable(),
  /** How long the human took, ms; null while open. */
  waitMs: z.number().nullable(),
  /** Selected labels, then the custom text. */
  values: z.array(z.string()),
  state: z.enum(answerStates),
  certainty,
  evidence: z.array(evidenceSchema),
  layers: z.object({
    receipt: z.object({ seq: seq.nullable(), has: z.boolean() }),
    /** Null: no program (native call), or the program could not be judged. */
    program: z.object({ returns: z.boolean().nullable(), logs: z.boolean().nullable() }).nullable(),
    outer: z.object({ seq: seq.nullable(), has: z.boolean() }),
    /** Requests that could see the answer: seq of the row that made it visible, and of the one that hid it. */
    context: z.object({ visibleFrom: seq.nullable(), visibleTo: seq.nullable() }),
  }),
  /** The row through which the answer reached the model. */
  deliveredSeq: seq.nullable(),
  /** `unanswered`, `lost`: the reason in the words of the docs. */
  reason: z.string().nullable(),
  /** Why an aborted wait really ended: deadline · user-typed · turn-cancelled · provider-gone · unknown. */
  cause: z.string().nullable(),
  fix: fixSchema.nullable(),
})

export const goalSchema = z.object({
  id: z.string(),
  objective: z.string(),
  phase: z.string(),
  blockedReason: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Rounds of this log, inherited ones not counted. */
  rounds: z.int().nonnegative(),
  cap: z.int().nonnegative(),
  idleRounds: z.int().nonnegative(),
  cost: z.object({ ms: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
  createdSeq: seq.nullable(),
  endedSeq: seq.nullable(),
})

export const roundSchema = z.object({
  goalId: z.string(),
  round: z.int().positive(),
  turn: z.int().nullable(),
  fromSeq: seq,
  toSeq: seq,
  state: z.enum(roundStates),
  certainty,
  /** Idle rounds only. */
  kind: z.enum(idleKinds).nullable(),
  inherited: z.boolean(),
  why: z.array(z.string()),
  tokens: z.object({ input: z.number(), output: z.number() }),
  ms: z.number(),
})

const placeSchema = z.object({
  seq,
  line: z.int().positive(),
  turn: z.int().nullable(),
  step: z.int().nullable(),
})

export const findingSchema = z.object({
  /** Unique in the session: f1, f2, … in the order of the list (by seq, then rule). */
  id: z.string(),
  rule: z.string(),
  severity,
  certainty,
  /** One sentence made from `args`. */
  text: z.string(),
  args: z.record(z.string(), json),
  at: placeSchema,
  /** Last row of the finding when it spans many. */
  toSeq: seq.nullable(),
  related: z.array(z.object({ seq, why: z.string() })),
  /** What to do about it; null when the rule has nothing better than its docs. */
  fix: z.string().nullable(),
  /** Stable over re-recording: no seqs, times or ids go into it. */
  fingerprint: z.string(),
})

export const incidentSchema = z.object({
  /** One line. */
  headline: z.string(),
  /** Finding ids. */
  causes: z.array(z.string()),
  effects: z.array(z.string()),
  /** The story in log order: each linked finding as one short clause. */
  chain: z.array(z.object({ finding: z.string(), seq, toSeq: seq.nullable(), line: z.int().positive(), turn: z.int().nullable(), round: z.int().nullable(), text: z.string() })),
  /** Where it went wrong. */
  inflection: z.object({ turn: z.int().nullable(), seq }),
  /** What came after the inflection and got nowhere. */
  cost: z.object({ rounds: z.int(), ms: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
  actions: z.array(z.string()),
})

export const issueSchema = z.object({
  code: z.string(),
  file: z.string(),
  line: z.int().positive().nullable(),
  offset: z.int().nonnegative().nullable(),
  seq: seq.nullable(),
  text: z.string(),
  harness: z.enum(['refuse', 'drop-tail', 'accept', 'not-read']),
  /** How many issues of this code stand behind this one; absent: only itself. */
  count: z.int().positive().optional(),
})

export const sessionReportSchema = z.object({
  source: z.string(),
  id: z.string(),
  format: z.int(),
  /** `v0` … `v4`. */
  generation: z.string(),
  agentPreset: z.string().nullable(),
  cwd: z.string().nullable(),
  model: z.string().nullable(),
  /** Parent session id and how the two belong together. */
  parent: z.object({ id: z.string(), kind: z.enum(['subagent', 'fork']) }).nullable(),
  /** What a delegating parent called this session; null for others. */
  label: z.string().nullable(),
  createdAt: z.number().nullable(),
  verdict: z.enum(['healthy', 'suspect', 'sick']),
  span: z.object({
    fromSeq: seq.nullable(),
    toSeq: seq.nullable(),
    startedAt: z.number().nullable(),
    endedAt: z.number().nullable(),
    /** The log stops inside a turn: a live or crashed run. */
    openTail: z.boolean(),
  }),
  counts: z.object({ events: z.int(), turns: z.int(), calls: z.int(), dispatches: z.int(), bytes: z.number() }),
  /** How often each tool was called, natively or by a program; by name. */
  tools: z.array(z.object({ name: z.string(), calls: z.int().positive() })),
  /** Calls that started other sessions; `childId` as far as the logs tell which. */
  delegations: z.array(z.object({
    seq,
    callId: z.string().nullable(),
    subCallId: z.string().nullable(),
    label: z.string().nullable(),
    childId: z.string().nullable(),
    startedAt: z.number().nullable(),
    endedAt: z.number().nullable(),
  })),
  /** Guards that did their work: a question of a goal round was denied, and the goal then came to a reported end. */
  guardsWorked: z.array(z.object({ seq, round: z.int().nullable(), goalId: z.string(), endSeq: seq, end: z.enum(['blocked', 'complete']) })),
  answers: z.array(answerSchema),
  goals: z.array(goalSchema),
  rounds: z.array(roundSchema),
  incidents: z.array(incidentSchema),
  findings: z.array(findingSchema),
  /** Findings that the baseline accepts: they count nowhere. */
  accepted: z.array(findingSchema.extend({ reason: z.string() })),
  notEvaluated: z.array(z.object({ rule: z.string(), because: z.string() })),
  /** Rules that ran, in list order: what "healthy" means. */
  checked: z.array(z.string()),
  issues: z.array(issueSchema),
})

export const failureSchema = z.object({
  source: z.string(),
  /** InputError code, or `rule-threw`. */
  code: z.string(),
  text: z.string(),
  rule: z.string().nullable(),
})

/** One finding that a team knows and lives with. */
export const baselineEntrySchema = z.strictObject({
  fingerprint: z.string().min(1),
  rule: z.string().min(1),
  /** Without it the entry accepts the finding in every log. Volatile parts are `*`. */
  source: z.string().optional(),
  text: z.string(),
  reason: z.string(),
})

/** What `check` demanded, and what came of it. */
export const checkSchema = z.object({
  failOn: severity,
  pruneCheck: z.boolean(),
  limits: z.array(z.object({ rule: z.string(), max: z.int().nonnegative(), found: z.int().nonnegative() })),
  assertions: z.array(z.object({
    expression: z.string(),
    /** Sessions that have what the expression speaks of. */
    measured: z.int().nonnegative(),
    broken: z.array(z.object({ source: z.string(), actual: z.string() })),
  })),
  /** Entries of the baseline that accepted nothing. */
  stale: z.array(baselineEntrySchema),
  passed: z.boolean(),
})

export const reportSchema = z.object({
  schemaVersion: z.literal(SCHEMA_VERSION),
  tool: z.object({ name: z.literal('dsh-inquest'), version: z.string() }),
  summary: z.object({
    sessions: z.int(),
    verdict: z.enum(['healthy', 'suspect', 'sick', 'unreadable']),
    findings: z.object({ error: z.int(), warning: z.int(), info: z.int() }),
    answers: z.partialRecord(z.enum(answerStates), z.int()),
    rounds: z.object({ progress: z.int(), idle: z.int(), waiting: z.int() }),
  }),
  sessions: z.array(sessionReportSchema),
  failures: z.array(failureSchema),
  /** The rules that found something, by id. */
  rules: z.array(z.object({ id: z.string(), family: z.string(), severity, what: z.string(), fix: z.string() })),
  /** Null: the report was not made by `check`. */
  check: checkSchema.nullable(),
  /** A part of a larger run: `order` has the place of each session in the whole. Null: the whole. */
  shard: z.object({ index: z.int().positive(), count: z.int().positive(), order: z.array(z.int().nonnegative()) }).nullable(),
})

export type { AnswerState, Certainty, Evidence, IdleKind, Json, RoundState, Severity } from '../facts/vocabulary.ts'
export type Fix = z.infer<typeof fixSchema>
export type AnswerReport = z.infer<typeof answerSchema>
export type GoalReport = z.infer<typeof goalSchema>
export type RoundReport = z.infer<typeof roundSchema>
export type Finding = z.infer<typeof findingSchema>
export type Incident = z.infer<typeof incidentSchema>
export type SessionReport = z.infer<typeof sessionReportSchema>
export type Failure = z.infer<typeof failureSchema>
export type BaselineEntry = z.infer<typeof baselineEntrySchema>
export type Check = z.infer<typeof checkSchema>
export type Report = z.infer<typeof reportSchema>
