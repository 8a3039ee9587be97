/**
 * One log, folded. Everything is in log order and immutable once built; texts may be cut (see `Text.whole`).
 * "Inherited" marks what a fork copied from its parent: it belongs to the parent and is never counted again.
 */
import type { ErrorIdentity, GoalSnapshot, Header, Issue, MessageSource, TurnEndReason, Usage } from '../decode/event.ts'
import { isRecord, tryJson } from './canonical.ts'
import type { Text } from './text.ts'

/** A stretch of requests in which one row stood on the surface. `to` is the row that took it away (null: still there). */
export interface Visibility {
  readonly from: number
  readonly to: number | null
  readonly hiddenBy: 'compaction' | 'prune' | 'replace' | null
}

export interface Turn {
  readonly turn: number
  readonly startSeq: number
  readonly startTime: number
  readonly line: number
  /** Null: the log stops inside the turn. */
  readonly end: { readonly seq: number; readonly time: number; readonly line: number; readonly reason: TurnEndReason } | null
  readonly steps: readonly Step[]
  readonly messages: readonly UserMessage[]
  readonly inherited: boolean
}

export interface Step {
  readonly turn: number
  readonly step: number
  readonly startSeq: number
  readonly startTime: number
  readonly endSeq: number | null
  readonly message: AssistantMessage | null
  readonly calls: readonly Call[]
  readonly retries: readonly Retry[]
  /** v0: bytes of the chunk rows with tool-call arguments. */
  readonly streamedArgumentBytes: number
}

export interface AssistantMessage {
  readonly seq: number
  readonly time: number
  readonly line: number
  /** Visible text, without reasoning. */
  readonly text: Text
  readonly reasoningChars: number
  readonly usage: Usage | null
  readonly interrupted: boolean
  readonly bytes: number
}

export interface UserMessage {
  readonly seq: number
  readonly time: number
  readonly line: number
  readonly turn: number | null
  readonly step: number | null
  readonly id: string | null
  readonly source: MessageSource
  readonly text: Text
  readonly images: number
  /** `append` rows are new to the model; a replacement is a summary or the like. */
  readonly appended: boolean
  /** The inbox row that queued it; null when it was not queued. */
  readonly queuedSeq: number | null
  readonly visibility: Visibility
  readonly inherited: boolean
}

/** What people wrote themselves, in log order; answers to questions are not in it. */
export function spokenMessages({ messages }: Pick<Session, 'messages'>): UserMessage[] {
  return messages.filter((m) => m.source.kind === 'user' && m.appended)
}

export function spokenSeqs(session: Pick<Session, 'messages'>): number[] {
  return spokenMessages(session).map((m) => m.seq)
}

/** It is a human's, typed or as a late answer. */
export function isHuman({ kind }: MessageSource): boolean {
  return kind === 'user' || kind === 'user-question-reply'
}

/** A call the model made itself (`tool/call`), with the nested calls of its program. */
export interface Call {
  readonly callId: string
  readonly name: string
  /** A `run_code` call with a program: `programCode` gives it. */
  readonly isProgram: boolean
  /** Canonical JSON when the raw text is JSON, else the raw text. Whole where a human was asked. */
  readonly arguments: Text
  readonly argumentBytes: number
  readonly seq: number
  readonly time: number
  readonly line: number
  readonly turn: number
  readonly step: number
  readonly result: CallResult | null
  readonly dispatches: readonly Dispatch[]
  /** The goal round it was made in. */
  readonly round: Round | null
  readonly inherited: boolean
}

/** The program of a `run_code` call. Null for any other call, and where the log's texts were too many to keep it whole. */
export function programCode({ isProgram, arguments: args }: Call): string | null {
  const parsed = isProgram && args.whole ? tryJson(args.value) : null
  return isRecord(parsed) && typeof parsed['code'] === 'string' ? parsed['code'] : null
}

/** How a call came out, as long as the model could read it in full. */
export interface CallResult extends Receipt, ShownText {
  /** Written by crash repair or by a fork, not by a tool. */
  readonly synthetic: 'interrupted' | 'forked' | null
  /** Shortened copies that took its place, in order. */
  readonly pruned: readonly ShownText[]
}

export interface ShownText extends Visibility {
  readonly text: Text
}

/** What the model could read of a result, in order. */
export function versionsOf(result: CallResult): readonly ShownText[] {
  return [result, ...result.pruned]
}

/** A nested call: `tool/code-dispatch*` or `tool/ptc-dispatch*`, paired by sub call id. */
export interface Dispatch {
  readonly subCallId: string
  readonly parentCallId: string
  readonly call: Call
  readonly name: string
  readonly arguments: Text
  readonly startSeq: number
  readonly startTime: number
  readonly line: number
  /** The receipt; null: never settled (crash, open tail). */
  readonly receipt: Receipt | null
}

export interface Receipt {
  readonly seq: number
  readonly time: number
  readonly line: number
  readonly isError: boolean
  readonly error: ErrorIdentity | null
  readonly text: Text
  readonly images: number
}

export interface Question {
  /** Empty when the model gave none. */
  readonly id: string
  readonly question: string
  readonly header: string | null
  readonly options: readonly { readonly label: string; readonly description: string | null }[]
  readonly multiSelect: boolean
  /** Keys the tool does not read: `multiSelect`, `detail`, `intent`, … */
  readonly ignoredKeys: readonly string[]
  /** The same for its options: `value`, `recommended`, … */
  readonly ignoredOptionKeys: readonly string[]
}

export interface ItemAnswer {
  readonly id: string
  readonly selected: readonly string[]
  readonly custom: string | null
}

export type QuestionOutcome =
  /** `complete` is false when the receipt is only a preview (spilled) and some answers could not be read back. */
  | { readonly kind: 'answered'; readonly answers: readonly ItemAnswer[]; readonly complete: boolean }
  /** Timed question whose window is over: neither answer nor error. */
  | { readonly kind: 'window-over'; readonly pendingCallId: string | null }
  | { readonly kind: 'failed'; readonly text: string; readonly error: ErrorIdentity | null }
  /** No result in the log. */
  | { readonly kind: 'open' }
  /** A success whose text is no answer. */
  | { readonly kind: 'unreadable'; readonly text: string }

/** One `ask_user_question` call, native or nested. */
export interface QuestionCall {
  readonly call: Call
  /** Null: native. */
  readonly dispatch: Dispatch | null
  /** Null: the arguments are not readable as questions. */
  readonly questions: readonly Question[] | null
  readonly askedSeq: number
  readonly askedTime: number
  readonly askedLine: number
  readonly settledSeq: number | null
  readonly settledTime: number | null
  readonly outcome: QuestionOutcome
  /** Timed questions: the message that brought the late answer. */
  readonly reply: { readonly message: UserMessage; readonly answers: readonly ItemAnswer[] } | null
  readonly round: Round | null
  readonly inherited: boolean
}

export interface Goal {
  readonly id: string
  readonly objective: string
  readonly phase: string
  readonly blockedReason: GoalSnapshot['blockedReason']
  readonly cap: number
  readonly createdSeq: number
  readonly cleared: boolean
  readonly changes: readonly GoalChange[]
  readonly rounds: readonly Round[]
}

export interface GoalChange {
  readonly seq: number
  readonly time: number
  readonly line: number
  readonly operation: string
  readonly revision: number
  readonly goal: GoalSnapshot | null
  readonly inherited: boolean
}

/** An appended goal message with round > 0, up to the next one or the end of its turn. */
export interface Round {
  readonly goalId: string
  readonly revision: number
  readonly round: number
  readonly message: UserMessage
  /** The inbox row that queued the round, else its message. */
  readonly queuedSeq: number
  readonly turn: number | null
  readonly fromSeq: number
  /** Last row that belongs to it. */
  readonly toSeq: number
  readonly startTime: number
  readonly endTime: number
  /** False: the log stops inside the round. */
  readonly ended: boolean
  readonly steps: readonly Step[]
  readonly calls: readonly Call[]
  /** Other user messages inside the round (human, notices, reminders, …). */
  readonly messages: readonly UserMessage[]
  readonly goalChanges: readonly GoalChange[]
  readonly endReason: TurnEndReason | null
  readonly inherited: boolean
}

export interface RequestHeader {
  readonly seq: number
  readonly line: number
  readonly reason: string
  readonly provider: string | null
  readonly model: string | null
  readonly tools: readonly string[] | null
  /** How tools are presented: only `run_code` = code; with others = both; without = native. */
  readonly presentation: 'native' | 'code' | 'both' | null
  /** v0, v2; later formats: see `Session.systemTexts`. */
  readonly system: Text | null
  readonly timedQuestions: boolean
}

export interface Retry { readonly seq: number; readonly time: number; readonly retry: number; readonly delayMs: number; readonly code: string; readonly status: number | null; readonly failure: string }
export interface Approval { readonly id: string; readonly toolName: string; readonly callId: string | null; readonly askedSeq: number; readonly decided: { readonly seq: number; readonly outcome: string } | null }
export interface Hook { readonly handlerId: string; readonly point: string; readonly matcher: string | null; readonly invokedSeq: number; readonly result: { readonly seq: number; readonly decision: string; readonly durationMs: number; readonly stderrSummary: string | null } | null }
export interface Command { readonly seq: number; readonly time: number; readonly line: number; readonly commandId: string; readonly name: string; readonly args: string; readonly byUser: boolean; readonly done: { readonly seq: number; readonly kind: string; readonly text: string | null } | null }
export interface Compaction { readonly id: string; readonly startSeq: number; readonly summarySeq: number | null; readonly replacementSeq: number | null; readonly endSeq: number | null; readonly error: string | null; readonly shadowedSeqs: readonly number[]; readonly usage: Usage | null }
export interface QueuedMessage { readonly seq: number; readonly time: number; readonly line: number; readonly target: string; readonly id: string | null; readonly source: MessageSource; readonly text: Text; /** claimed, canceled, or still queued at the end. */ readonly fate: 'claimed' | 'canceled' | 'left'; readonly fateSeq: number | null }
export interface Subagent { readonly childId: string; readonly seq: number; readonly mode: string | null; readonly label: string | null; /** The call that was open when the child was catalogued. */ readonly callId: string | null }

export interface Session {
  /** As shown in reports. */
  readonly source: string
  readonly header: Header
  /** `v0` … `v4`. */
  readonly generation: string
  readonly firstSeq: number | null
  readonly lastSeq: number | null
  readonly lastLine: number
  readonly startTime: number | null
  readonly endTime: number | null
  readonly events: number
  readonly bytes: number
  /** Events before this seq were copied from a parent (0: none). */
  readonly inheritedBefore: number
  readonly turns: readonly Turn[]
  /** All `user/message` rows. */
  readonly messages: readonly UserMessage[]
  readonly calls: readonly Call[]
  readonly questions: readonly QuestionCall[]
  readonly goals: readonly Goal[]
  /** All rounds of all goals in log order, inherited ones included and marked. */
  readonly rounds: readonly Round[]
  readonly requestHeaders: readonly RequestHeader[]
  /** v3+: `system/message` rows; `developer/message` tool deltas are in `toolDeltas`. */
  readonly systemTexts: readonly { readonly seq: number; readonly line: number; readonly text: Text }[]
  readonly toolDeltas: readonly { readonly seq: number; readonly line: number; readonly additions: readonly string[]; readonly removals: readonly string[] }[]
  /** Seqs at which the model read the surface: one per attempt. */
  readonly requests: readonly number[]
  readonly approvals: readonly Approval[]
  readonly hooks: readonly Hook[]
  readonly commands: readonly Command[]
  readonly compactions: readonly Compaction[]
  readonly inbox: readonly QueuedMessage[]
  readonly subagents: readonly Subagent[]
  readonly descriptor: { readonly seq: number; readonly mode: string; readonly label: string | null } | null
  /** Process starts: seqs of `session/end-seed`. */
  readonly endSeeds: readonly { readonly seq: number; readonly line: number; readonly inherited: boolean }[]
  readonly planMode: readonly { readonly seq: number; readonly active: boolean }[]
  /** `otherEvents` counts rows of known types that no fact needs. */
  readonly otherEvents: Readonly<Record<string, number>>
  readonly issues: readonly Issue[]
  /** Texts that were cut to their edges because the memory budget was used up. */
  readonly cutTexts: number
}
