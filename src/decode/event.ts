/**
 * The one event model that every log generation (v0, v2, v3, v4, seq-less fixtures) is normalised into.
 * Names are the harness's own where they did not change between generations; where they did, the later
 * meaning with the plainer word is used (`dispatch/*` for code-dispatch and ptc-dispatch).
 *
 * Units: `time` in epoch ms, `bytes` in UTF-8 bytes of the row, `line` 1-based in the decoded text
 * (line 1 is the header), `seq` 0-based as written by the harness.
 */

/** First line of a log. */
export interface Header {
  /** Log format number: 0, 2, 3, 4. */
  readonly version: number
  readonly id: string
  /** Epoch ms; null when a fixture's header lacks it. */
  readonly createdAt: number | null
  readonly cwd: string | null
  readonly parentSession: string | null
  /** v0 fork: number of events copied from the parent. Later formats mark the cut by `session/end-seed {inherited}`. */
  readonly seedLength: number | null
  /** v2 and later: whether the log starts with a copied prefix. */
  readonly isSeeded: boolean
  readonly origin: 'subagent' | null
  readonly delegationDepth: number
  /** `code` and `ptc` both become `ptc`. */
  readonly agentPreset: string | null
}

export interface Usage {
  /** Billed input tokens: plain + cache read + cache write (the harness logs them disjoint). */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Who produced a message. `kind` uses v4's names; `plugin:<name>` for unknown v0–v3 plugins. */
export interface MessageSource {
  readonly kind: string
  readonly goalId?: string
  readonly revision?: number
  readonly round?: number
  readonly form?: string
  readonly summary?: string
  readonly callId?: string
  readonly outcome?: string
  readonly senderSessionId?: string
}

export interface Message {
  readonly id: string | null
  readonly source: MessageSource
  /** All text blocks joined with a line break; reasoning is not in it. */
  readonly text: string
  readonly images: number
}

export interface ErrorIdentity {
  readonly name: string
  readonly code: string
  readonly reason?: string
}

export interface ToolCallBlock {
  readonly id: string
  readonly name: string
  /** Raw text from the model, not necessarily JSON. */
  readonly arguments: string
}

/** Where a surface event goes. `replace` shadows the nodes between the two, by surface position. */
export type SurfaceOp = 'append' | { readonly startSeq: number; readonly endSeq: number }

export interface TurnEndReason {
  /** completed | aborted | blocked | error | max-tokens | interrupted | forked | (plugin kinds) */
  readonly kind: string
  /** aborted: user | parent | hook | disposed | legacy */
  readonly cause?: string
  /** aborted by a hook: its text. error: `CODE: message`. */
  readonly detail?: string
  /** error: LlmFailure code and HTTP status. */
  readonly code?: string
  readonly status?: number
}

export interface GoalSnapshot {
  readonly id: string
  readonly revision: number
  readonly objective: string
  readonly phase: 'active' | 'paused' | 'blocked' | 'complete' | string
  readonly maxGoalRounds: number
  readonly blockedReason: { readonly code: string; readonly message: string } | null
}

interface Envelope {
  readonly seq: number
  /** Epoch ms. In fixtures without times: the last known time, or 0. */
  readonly time: number
  readonly line: number
  readonly bytes: number
  readonly ignorable?: true
}

export interface SeqRun { readonly first: number; readonly last: number }

interface Surface extends Envelope {
  /** Null where a log lacks it (an issue is reported); treated as append. */
  readonly surfaceOp: SurfaceOp | null
  /** As runs of consecutive seqs, each as long as can be, in the order of the list. */
  readonly sourceEventSeqs: readonly SeqRun[] | null
}

interface InStep { readonly turn: number; readonly step: number }

interface Dispatch {
  readonly rootCallId: string
  readonly parentCallId: string
  readonly subCallId: string
  readonly name: string
  /** Parsed JSON (a string where a log has one). */
  readonly arguments: unknown
}

export type LogEvent =
  | (Envelope & { readonly type: 'turn/start'; readonly turn: number })
  | (Envelope & { readonly type: 'turn/end'; readonly turn: number; readonly reason: TurnEndReason })
  | (Envelope & InStep & { readonly type: 'step/start' | 'step/end' })
  | (Surface & { readonly type: 'user/message'; readonly message: Message })
  | (Surface & InStep & { readonly type: 'system/message' | 'developer/message'; readonly message: Message; readonly toolAdditions: readonly string[]; readonly toolRemovals: readonly string[] })
  | (Surface & InStep & {
      readonly type: 'assistant/message'
      readonly message: Message
      readonly reasoningChars: number
      readonly toolCalls: readonly ToolCallBlock[]
      readonly usage: Usage | null
      readonly interrupted: boolean
    })
  /** v2+: an attempt that left no message. */
  | (Envelope & InStep & { readonly type: 'assistant/attempt' })
  /**
   * A run of chunk rows (single or packed) that nobody parsed; only v0 has them. `seq` is the first, `lastSeq` the last member.
   * `toolCallBytes` sums the rows that carry tool-call arguments (for `runaway-arguments`).
   */
  | (Envelope & { readonly type: 'stream'; readonly lastSeq: number; readonly rows: number; readonly toolCallBytes: number })
  | (Envelope & InStep & { readonly type: 'tool/call'; readonly callId: string; readonly name: string; readonly arguments: string })
  | (Surface & InStep & {
      readonly type: 'tool/result'
      readonly callId: string
      readonly messageId: string | null
      readonly isError: boolean
      /** Text blocks joined with a line break. */
      readonly text: string
      readonly images: number
      readonly error: ErrorIdentity | null
    })
  | (Envelope & Dispatch & { readonly type: 'dispatch/start' })
  | (Envelope & Dispatch & {
      readonly type: 'dispatch/end'
      readonly isError: boolean
      readonly text: string
      readonly images: number
      /** Null: absent. Whether absence means anything depends on the build (reference §10.7). */
      readonly error: ErrorIdentity | null
    })
  | (Envelope & {
      readonly type: 'request/header'
      /** initial | resume | change | series */
      readonly reason: string
      readonly provider: string | null
      readonly model: string | null
      /** Tool names in header order; null when the header has no list. */
      readonly tools: readonly string[] | null
      /** v0, v2: the system prompt; later formats have `system/message`. */
      readonly system: string | null
      /** `ask_user_question` declares `timeout` (timed questions, 0.2.1). */
      readonly timedQuestions: boolean
    })
  | (Envelope & { readonly type: 'request/context'; readonly contextWindow: number | null })
  | (Envelope & InStep & { readonly type: 'llm/retry'; readonly retryId: string | null; readonly retry: number; readonly maxRetries: number | null; readonly delayMs: number; readonly code: string; readonly status: number | null; readonly failure: string })
  | (Envelope & InStep & { readonly type: 'llm/retry-started'; readonly retryId: string | null; readonly retry: number })
  | (Envelope & { readonly type: 'session/end-seed'; readonly inherited: boolean })
  | (Envelope & { readonly type: 'todo/write'; readonly todos: readonly { readonly content: string; readonly status: string }[] })
  | (Envelope & { readonly type: 'agent/inbox/spliced'; readonly target: string; readonly start: number; readonly removedCount: number; readonly inserted: readonly Message[]; readonly outcome: string | null })
  /** `goal` is null for `clear`; then `goalId` and `revision` name the cleared one. */
  | (Envelope & { readonly type: 'goal/change'; readonly operation: string; readonly goalId: string; readonly revision: number; readonly goal: GoalSnapshot | null; readonly roundsStarted: number })
  | (Envelope & { readonly type: 'approval/asked'; readonly id: string; readonly toolName: string; readonly callId: string | null; readonly reason: string | null })
  | (Envelope & { readonly type: 'approval/decided'; readonly id: string; readonly outcome: string })
  | (Envelope & { readonly type: 'plan/mode'; readonly active: boolean })
  | (Envelope & { readonly type: 'hook/invoked'; readonly turn: number; readonly point: string; readonly handlerId: string; readonly matcher: string | null })
  | (Envelope & { readonly type: 'hook/result'; readonly turn: number; readonly point: string; readonly handlerId: string; readonly decision: string; readonly durationMs: number; readonly stderrSummary: string | null })
  | (Envelope & { readonly type: 'command/run'; readonly commandId: string; readonly name: string; readonly args: string; readonly sourceKind: string })
  | (Envelope & { readonly type: 'command/done'; readonly commandId: string; readonly kind: string; readonly text: string | null })
  | (Envelope & { readonly type: 'agent-preset/selected'; readonly agentPreset: string })
  | (Envelope & { readonly type: 'compaction/start'; readonly compactionId: string; readonly turn: number | null })
  | (Envelope & { readonly type: 'compaction/summary'; readonly compactionId: string; readonly summary: string; readonly shadowedSeqs: readonly number[]; readonly shadowedRange: SurfaceRange | null; readonly usage: Usage | null })
  | (Envelope & { readonly type: 'compaction/end'; readonly compactionId: string; readonly turn: number | null; readonly error: string | null })
  | (Envelope & { readonly type: 'compaction/prune'; readonly shadowedSeqs: readonly number[]; readonly shadowedRange: SurfaceRange | null })
  | (Envelope & { readonly type: 'subagent/descriptor'; readonly mode: string; readonly label: string | null })
  | (Envelope & { readonly type: 'subagent/catalog'; readonly childId: string; readonly mode: string; readonly label: string | null })
  | (Envelope & { readonly type: 'tool-workflow/agent-start'; readonly childId: string; readonly label: string | null })
  /** Known to the harness, not needed here (titles, feedback, policies, team, schedule, …). */
  | (Envelope & { readonly type: 'other'; readonly name: string })

export interface SurfaceRange { readonly start: number; readonly end: number }

export type EventOf<T extends LogEvent['type']> = Extract<LogEvent, { type: T }>

/** Trouble in a log. It is data, not an exception: the analysis goes on wherever the harness's own reader would. */
export interface Issue {
  /** Stable kebab-case code, e.g. `torn-frame`, `blank-line`, `sequence-gap`, `unknown-event`. */
  readonly code: string
  readonly file: string
  /** 1-based line of the decoded text; null when the trouble is not in a line (frames, archives). */
  readonly line: number | null
  /** Byte offset in the file as stored (for zstd: of the frame); null when unknown. */
  readonly offset: number | null
  readonly seq: number | null
  /** One plain sentence. */
  readonly text: string
  /**
   * What the harness's own reader does with it: `refuse` the log, `drop-tail` (ignore everything from here on),
   * `accept` (only optional checks see it), or `not-read` (it never looks there).
   */
  readonly harness: 'refuse' | 'drop-tail' | 'accept' | 'not-read'
  /** How many issues of this code stand behind this one; absent: only itself. */
  readonly count?: number
}

/** What a decoder feeds. Called in file order: `header` once, then events and issues as met. */
export interface EventSink {
  header(header: Header): void
  event(event: LogEvent): void
  issue(issue: Issue): void
}
