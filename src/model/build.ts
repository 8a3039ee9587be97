/**
 * Events → Session: one pass, no row kept. Open brackets (turns, steps, calls, dispatches) are paired by id,
 * never by adjacency; the surface is folded by position as the harness does (dsh-session, surface fold).
 */
import type { EventOf, EventSink, Header, Issue, LogEvent, Message, SurfaceOp } from '../decode/event.ts'
import { canonicalJson, isRecord, tryJson } from './canonical.ts'
import { InvariantChecker } from './invariants.ts'
import { QUESTION_TOOL, readAnswers, readOutcome, readQuestions } from './questions.ts'
import {
  isHuman, type Approval, type AssistantMessage, type Call, type CallResult, type Command, type Compaction, type Dispatch, type Goal, type GoalChange, type Hook, type QuestionCall, type QueuedMessage, type Receipt, type RequestHeader, type Round, type Session, type Step, type Subagent, type Turn, type UserMessage, type Visibility,
} from './session.ts'
import { Surface } from './surface.ts'
import { TextStore } from './text.ts'

/** A record while it is being built. */
type Draft<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] }

interface OpenCall {
  readonly call: Draft<Call>
  /** Kept whole once its program turns out to ask. */
  readonly arguments: string
  asks: boolean
}

const COMPACTION_SOURCES = new Set(['compact-checkpoint', 'compact-basic'])

export class SessionBuilder implements EventSink {
  readonly #source: string
  readonly #texts = new TextStore()
  #header: Header | null = null
  #events = 0
  #bytes = 0
  #firstSeq: number | null = null
  #lastSeq: number | null = null
  #lastLine = 1
  #startTime: number | null = null
  #endTime: number | null = null
  #cut = 0

  readonly #issues: Issue[] = []
  #invariants: InvariantChecker | null = null
  readonly #turns: Draft<Turn>[] = []
  readonly #messages: Draft<UserMessage>[] = []
  readonly #calls: Draft<Call>[] = []
  readonly #questions: Draft<QuestionCall>[] = []
  readonly #goals = new Map<string, Draft<Goal>>()
  readonly #goalChanges: Draft<GoalChange>[] = []
  readonly #rounds: Draft<Round>[] = []
  readonly #headers: RequestHeader[] = []
  readonly #systemTexts: { seq: number; line: number; text: ReturnType<TextStore['keep']> }[] = []
  readonly #toolDeltas: { seq: number; line: number; additions: readonly string[]; removals: readonly string[] }[] = []
  readonly #requests: number[] = []
  readonly #approvals = new Map<string, Draft<Approval>>()
  readonly #hooks: Draft<Hook>[] = []
  readonly #commands = new Map<string, Draft<Command>>()
  readonly #compactions: Draft<Compaction>[] = []
  readonly #inbox: Draft<QueuedMessage>[] = []
  readonly #subagents: Subagent[] = []
  readonly #endSeeds: { seq: number; line: number; inherited: boolean }[] = []
  readonly #planMode: { seq: number; active: boolean }[] = []
  readonly #otherEvents: Record<string, number> = Object.create(null)
  #descriptor: Session['descriptor'] = null

  #turn: Draft<Turn> | null = null
  #step: Draft<Step> | null = null
  #round: Draft<Round> | null = null
  /** A request has begun (stream rows) whose message has not come yet. */
  #requestOpen = false
  readonly #openCalls = new Map<string, OpenCall>()
  /** Ids of calls in the order they began; closed ones go when they are met. */
  readonly #begun: string[] = []
  readonly #openHooks = new Map<string, Draft<Hook>[]>()
  readonly #compactionOf = new Map<string, number>()
  readonly #openDispatches = new Map<string, Draft<Dispatch>>()
  /** Those on the surface, by the seq of what stands there. */
  readonly #results = new Map<number, Draft<CallResult>>()
  readonly #questionOf = new Map<Call | Dispatch, Draft<QuestionCall>>()
  /** By the ids that a late reply may name. */
  readonly #questionById = new Map<string, Draft<QuestionCall>>()
  readonly #queuedAt = new Map<string, number>()
  readonly #queues = new Map<string, Draft<QueuedMessage>[]>()
  readonly #surface = new Surface<Draft<Visibility>>((v) => v.from)

  constructor(source: string) {
    this.#source = source
  }

  header(header: Header): void {
    this.#header = header
    this.#cut = header.seedLength ?? 0
    this.#invariants = new InvariantChecker(this.#source, header)
  }

  issue(issue: Issue): void {
    this.#issues.push(issue)
  }

  event(e: LogEvent): void {
    this.#events += e.type === 'stream' ? e.lastSeq - e.seq + 1 : 1
    this.#bytes += e.bytes
    this.#firstSeq ??= e.seq
    this.#lastSeq = e.type === 'stream' ? e.lastSeq : e.seq
    this.#lastLine = e.line
    this.#startTime ??= e.time
    this.#endTime = Math.max(this.#endTime ?? e.time, e.time)
    this.#invariants?.event(e)
    this.#fold(e)
    this.#extendRound()
  }

  #extendRound(): void {
    if (!this.#round) return
    this.#round.toSeq = this.#lastSeq ?? this.#round.toSeq
    this.#round.endTime = this.#endTime ?? this.#round.endTime
  }

  #fold(e: LogEvent): void {
    switch (e.type) {
      case 'turn/start': return this.#startTurn(e)
      case 'turn/end': return this.#endTurn(e)
      case 'step/start': return this.#startStep(e)
      case 'step/end': return this.#endStep(e)
      case 'user/message': return this.#userMessage(e)
      case 'system/message':
      case 'developer/message': return this.#systemMessage(e)
      case 'assistant/message': return this.#assistantMessage(e)
      case 'assistant/attempt': this.#request(e.seq); this.#requestOpen = false; return
      case 'stream': return this.#stream(e)
      case 'tool/call': return this.#toolCall(e)
      case 'tool/result': return this.#toolResult(e)
      case 'dispatch/start': return this.#dispatchStart(e)
      case 'dispatch/end': return this.#dispatchEnd(e)
      case 'request/header': return this.#requestHeader(e)
      case 'llm/retry':
        this.#requestOpen = false
        this.#step?.retries.push({ seq: e.seq, time: e.time, retry: e.retry, delayMs: e.delayMs, code: e.code, status: e.status, failure: e.failure })
        return
      case 'session/end-seed': return this.#endSeed(e)
      case 'agent/inbox/spliced': return this.#splice(e)
      case 'goal/change': return this.#goalChange(e)
      case 'approval/asked': this.#approvals.set(e.id, { id: e.id, toolName: e.toolName, callId: e.callId, askedSeq: e.seq, decided: null }); return
      case 'approval/decided': { const a = this.#approvals.get(e.id); if (a) a.decided = { seq: e.seq, outcome: e.outcome }; return }
      case 'hook/invoked': return this.#hookInvoked(e)
      case 'hook/result': {
        const hook = this.#openHooks.get(hookKey(e))?.pop()
        if (hook) hook.result = { seq: e.seq, decision: e.decision, durationMs: e.durationMs, stderrSummary: e.stderrSummary }
        return
      }
      case 'command/run': this.#commands.set(e.commandId, { seq: e.seq, time: e.time, line: e.line, commandId: e.commandId, name: e.name, args: e.args, byUser: e.sourceKind === 'user', done: null }); return
      case 'command/done': { const c = this.#commands.get(e.commandId); if (c) c.done = { seq: e.seq, kind: e.kind, text: e.text }; return }
      case 'plan/mode': this.#planMode.push({ seq: e.seq, active: e.active }); return
      case 'compaction/start':
        this.#compactions.push({ id: e.compactionId, startSeq: e.seq, summarySeq: null, replacementSeq: null, endSeq: null, error: null, shadowedSeqs: [], usage: null })
        this.#compactionOf.set(e.compactionId, this.#compactions.length - 1)
        return
      case 'compaction/summary': { const c = this.#compactions[this.#compactionOf.get(e.compactionId) ?? -1]; if (c) { c.summarySeq = e.seq; c.shadowedSeqs = [...e.shadowedSeqs]; c.usage = e.usage } return }
      case 'compaction/end': { const c = this.#compactions[this.#compactionOf.get(e.compactionId) ?? -1]; if (c) { c.endSeq = e.seq; c.error = e.error } return }
      case 'subagent/descriptor': this.#descriptor = { seq: e.seq, mode: e.mode, label: e.label }; return
      case 'subagent/catalog': this.#subagents.push({ childId: e.childId, seq: e.seq, mode: e.mode, label: e.label, callId: this.#openCallId() }); return
      case 'tool-workflow/agent-start': this.#subagents.push({ childId: e.childId, seq: e.seq, mode: null, label: e.label, callId: this.#openCallId() }); return
      case 'other': this.#otherEvents[e.name] = (this.#otherEvents[e.name] ?? 0) + 1; return
      default:
    }
  }

  /** The last call that began and is still open. */
  #openCallId(): string | null {
    while (this.#begun.length > 0 && !this.#openCalls.has(this.#begun.at(-1) ?? '')) this.#begun.pop()
    return this.#begun.at(-1) ?? null
  }

  #hookInvoked(e: EventOf<'hook/invoked'>): void {
    const hook: Draft<Hook> = { handlerId: e.handlerId, point: e.point, matcher: e.matcher, invokedSeq: e.seq, result: null }
    this.#hooks.push(hook)
    const open = this.#openHooks.get(hookKey(e))
    if (open) open.push(hook)
    else this.#openHooks.set(hookKey(e), [hook])
  }

  #startTurn(e: EventOf<'turn/start'>): void {
    this.#closeRound()
    this.#turn = { turn: e.turn, startSeq: e.seq, startTime: e.time, line: e.line, end: null, steps: [], messages: [], inherited: false }
    this.#turns.push(this.#turn)
    this.#step = null
  }

  #endTurn(e: EventOf<'turn/end'>): void {
    if (this.#turn) {
      this.#turn.end = { seq: e.seq, time: e.time, line: e.line, reason: e.reason }
      this.#turn.steps = fitted(this.#turn.steps)
      this.#turn.messages = fitted(this.#turn.messages)
    }
    if (this.#round) this.#round.endReason = e.reason
    this.#extendRound()
    this.#closeRound()
    this.#turn = null
    this.#step = null
    this.#requestOpen = false
  }

  #startStep(e: EventOf<'step/start' | 'step/end'>): void {
    this.#step = {
      turn: e.turn, step: e.step, startSeq: e.seq, startTime: e.time, endSeq: null, message: null, calls: [], retries: [], streamedArgumentBytes: 0,
    }
    this.#turn?.steps.push(this.#step)
    this.#round?.steps.push(this.#step)
    this.#requestOpen = false
  }

  #endStep(e: EventOf<'step/start' | 'step/end'>): void {
    if (this.#step) {
      this.#step.endSeq = e.seq
      this.#step.calls = fitted(this.#step.calls)
      this.#step.retries = fitted(this.#step.retries)
    }
    this.#step = null
  }

  #request(seq: number): void {
    if (!this.#requestOpen) this.#requests.push(seq)
    this.#requestOpen = true
  }

  #stream(e: EventOf<'stream'>): void {
    this.#request(e.seq)
    if (this.#step) this.#step.streamedArgumentBytes += e.toolCallBytes
  }

  #userMessage(e: EventOf<'user/message'>): void {
    const compaction = COMPACTION_SOURCES.has(e.message.source.kind)
    const visibility = this.#place(e.surfaceOp, compaction ? 'compaction' : 'replace', visibleFrom(e.seq))
    const message: Draft<UserMessage> = {
      seq: e.seq, time: e.time, line: e.line, turn: this.#turn?.turn ?? null, step: this.#step?.step ?? null,
      id: e.message.id, source: e.message.source, text: this.#texts.keep(e.message.text, isHuman(e.message.source)), images: e.message.images,
      appended: e.surfaceOp === 'append' || e.surfaceOp === null,
      queuedSeq: e.message.id === null ? null : (this.#queuedAt.get(e.message.id) ?? null),
      visibility, inherited: false,
    }
    this.#messages.push(message)
    this.#turn?.messages.push(message)
    if (compaction) {
      const open = this.#compactions.at(-1)
      if (open && open.endSeq === null) open.replacementSeq = e.seq
    }
    const { kind, goalId, round } = e.message.source
    if (kind === 'goal' && message.appended && goalId !== undefined && round !== undefined && round > 0) this.#startRound(message, goalId, round)
    else if (message.appended) this.#round?.messages.push(message)
    if (kind === 'user-question-reply') this.#lateReply(message)
  }

  #startRound(message: UserMessage, goalId: string, round: number): void {
    this.#closeRound()
    const draft: Draft<Round> = {
      goalId, revision: message.source.revision ?? 0, round, message, queuedSeq: message.queuedSeq ?? message.seq, turn: message.turn,
      fromSeq: message.seq, toSeq: message.seq, startTime: message.time, endTime: message.time, ended: false,
      steps: this.#step ? [this.#step] : [], calls: [], messages: [], goalChanges: [], endReason: null, inherited: false,
    }
    this.#round = draft
    this.#rounds.push(draft)
    this.#goal(goalId, message.seq).rounds.push(draft)
  }

  #closeRound(): void {
    if (this.#round) {
      this.#round.ended = true
      this.#round.steps = fitted(this.#round.steps)
      this.#round.calls = fitted(this.#round.calls)
      this.#round.messages = fitted(this.#round.messages)
      this.#round.goalChanges = fitted(this.#round.goalChanges)
    }
    this.#round = null
  }

  #systemMessage(e: EventOf<'system/message' | 'developer/message'>): void {
    this.#place(e.surfaceOp, 'replace', visibleFrom(e.seq))
    if (e.type === 'system/message') this.#systemTexts.push({ seq: e.seq, line: e.line, text: this.#texts.keep(e.message.text, true) })
    else this.#toolDeltas.push({ seq: e.seq, line: e.line, additions: e.toolAdditions, removals: e.toolRemovals })
  }

  #assistantMessage(e: EventOf<'assistant/message'>): void {
    this.#request(e.seq)
    this.#requestOpen = false
    this.#place(e.surfaceOp, 'replace', visibleFrom(e.seq))
    const message: AssistantMessage = {
      seq: e.seq, time: e.time, line: e.line, text: this.#texts.keep(e.message.text), reasoningChars: e.reasoningChars,
      usage: e.usage, interrupted: e.interrupted, bytes: e.bytes,
    }
    if (this.#step) this.#step.message = message
  }

  #toolCall(e: EventOf<'tool/call'>): void {
    const parsed = tryJson(e.arguments === '' ? '{}' : e.arguments)
    const isProgram = e.name === 'run_code' && isRecord(parsed) && typeof parsed['code'] === 'string'
    const args = parsed === undefined ? e.arguments : canonicalJson(parsed)
    const asks = e.name === QUESTION_TOOL || (isProgram && args.includes(QUESTION_TOOL))
    const call: Draft<Call> = {
      callId: e.callId, name: e.name, isProgram, arguments: this.#texts.keep(args, asks),
      argumentBytes: Buffer.byteLength(e.arguments),
      seq: e.seq, time: e.time, line: e.line, turn: e.turn, step: e.step, result: null, dispatches: [], round: this.#round, inherited: false,
    }
    this.#calls.push(call)
    this.#step?.calls.push(call)
    this.#round?.calls.push(call)
    this.#openCalls.set(e.callId, { call, arguments: args, asks })
    this.#begun.push(e.callId)
    if (e.name === QUESTION_TOOL) this.#ask(call, null, parsed)
  }

  #ask(call: Draft<Call>, dispatch: Draft<Dispatch> | null, args: unknown): void {
    const at = dispatch ?? call
    const question: Draft<QuestionCall> = {
      call, dispatch, questions: readQuestions(typeof args === 'string' ? tryJson(args) : args),
      askedSeq: dispatch ? dispatch.startSeq : call.seq, askedTime: dispatch ? dispatch.startTime : call.time, askedLine: at.line,
      settledSeq: null, settledTime: null, outcome: { kind: 'open' }, reply: null, round: this.#round, inherited: false,
    }
    this.#questions.push(question)
    this.#questionOf.set(at, question)
    this.#questionById.set(dispatch?.subCallId ?? call.callId, question)
  }

  #settle(at: Call | Dispatch, e: EventOf<'tool/result' | 'dispatch/end'>): void {
    const question = this.#questionOf.get(at)
    if (!question) return
    this.#questionOf.delete(at)
    question.settledSeq = e.seq
    question.settledTime = e.time
    const outcome = readOutcome(e)
    question.outcome = outcome
    if (outcome.kind !== 'window-over' || outcome.pendingCallId === null) return
    const known = this.#questionById.get(outcome.pendingCallId)
    if (!known || known.askedSeq < question.askedSeq) this.#questionById.set(outcome.pendingCallId, question)
  }

  /** A timed question's late answer arrives as a message of its own and names the call it belongs to. */
  #lateReply(message: UserMessage): void {
    const answers = readAnswers(tryJson(message.text.value))
    const question = this.#questionById.get(message.source.callId ?? '')
    if (question && answers) question.reply = { message, answers }
  }

  #toolResult(e: EventOf<'tool/result'>): void {
    if (e.surfaceOp !== 'append' && e.surfaceOp !== null) return this.#prunedResult(e, e.surfaceOp)
    const open = this.#openCalls.get(e.callId)
    const text = this.#texts.keep(e.text, open?.asks ?? false)
    const id = e.messageId ?? ''
    const result: Draft<CallResult> = this.#place(e.surfaceOp, 'prune', {
      seq: e.seq, time: e.time, line: e.line, isError: e.isError, error: e.error, text, images: e.images,
      synthetic: id.startsWith('interrupted-tool-result-') ? 'interrupted' : id.startsWith('forked-tool-result-') ? 'forked' : null,
      from: e.seq, to: null, hiddenBy: null, pruned: NONE,
    })
    if (!open) return
    this.#openCalls.delete(e.callId)
    open.call.result = result
    open.call.dispatches = fitted(open.call.dispatches)
    this.#results.set(e.seq, result)
    if (result.synthetic === null) this.#settle(open.call, e)
  }

  /** A pruned copy takes the place of the result it shadows; it is no second outcome. */
  #prunedResult(e: EventOf<'tool/result'>, op: Exclude<SurfaceOp, 'append'>): void {
    const result = this.#results.get(op.startSeq)
    const copy = this.#place(op, 'prune', { ...visibleFrom(e.seq), text: this.#texts.keep(e.text) })
    if (!result) return
    result.pruned = [...result.pruned, copy]
    this.#results.set(e.seq, result)
  }

  #dispatchStart(e: EventOf<'dispatch/start'>): void {
    const open = this.#openCalls.get(e.rootCallId)
    if (!open) return
    const asks = e.name === QUESTION_TOOL
    const dispatch: Draft<Dispatch> = {
      subCallId: e.subCallId, parentCallId: e.parentCallId === open.call.callId ? open.call.callId : e.parentCallId, call: open.call, name: e.name,
      arguments: this.#texts.keep(typeof e.arguments === 'string' ? e.arguments : canonicalJson(e.arguments), asks || open.asks),
      startSeq: e.seq, startTime: e.time, line: e.line, receipt: null,
    }
    open.call.dispatches.push(dispatch)
    this.#openDispatches.set(e.subCallId, dispatch)
    if (asks) {
      if (!open.asks) this.#texts.keep(open.arguments, true)
      open.asks = true
      this.#ask(open.call, dispatch, e.arguments)
    }
  }

  #dispatchEnd(e: EventOf<'dispatch/end'>): void {
    const dispatch = this.#openDispatches.get(e.subCallId)
    if (!dispatch) return
    this.#openDispatches.delete(e.subCallId)
    const receipt: Receipt = {
      seq: e.seq, time: e.time, line: e.line, isError: e.isError, error: e.error,
      text: this.#texts.keep(e.text, this.#openCalls.get(e.rootCallId)?.asks), images: e.images,
    }
    dispatch.receipt = receipt
    this.#settle(dispatch, e)
  }

  #requestHeader(e: EventOf<'request/header'>): void {
    const { tools } = e
    const presentation = tools === null ? null : !tools.includes('run_code') ? 'native' : tools.length === 1 ? 'code' : 'both'
    this.#headers.push({
      seq: e.seq, line: e.line, reason: e.reason, provider: e.provider, model: e.model, tools, presentation,
      system: e.system === null ? null : this.#texts.keep(e.system, true), timedQuestions: e.timedQuestions,
    })
  }

  /** Open calls of an ended process never come back; an inherited marker also ends the copied queue. */
  #endSeed(e: EventOf<'session/end-seed'>): void {
    this.#endSeeds.push({ seq: e.seq, line: e.line, inherited: e.inherited })
    if (!e.inherited) {
      this.#openCalls.clear()
      this.#openDispatches.clear()
    }
    if (e.inherited) this.#cut = e.seq
    if (e.seq === this.#cut) this.#queues.clear()
  }

  #splice(e: EventOf<'agent/inbox/spliced'>): void {
    const list = this.#queues.get(e.target) ?? []
    this.#queues.set(e.target, list)
    const inserted = e.inserted.map((m) => this.#queue(e, m))
    for (const gone of list.splice(e.start, e.removedCount, ...inserted)) {
      gone.fate = e.outcome === 'canceled' ? 'canceled' : 'claimed'
      gone.fateSeq = e.seq
    }
  }

  #queue(e: EventOf<'agent/inbox/spliced'>, message: Message): Draft<QueuedMessage> {
    if (message.id !== null && !this.#queuedAt.has(message.id)) this.#queuedAt.set(message.id, e.seq)
    const queued: Draft<QueuedMessage> = {
      seq: e.seq, time: e.time, line: e.line, target: e.target, id: message.id, source: message.source,
      text: this.#texts.keep(message.text), fate: 'left', fateSeq: null,
    }
    this.#inbox.push(queued)
    return queued
  }

  #goalChange(e: EventOf<'goal/change'>): void {
    const change: Draft<GoalChange> = { seq: e.seq, time: e.time, line: e.line, operation: e.operation, revision: e.revision, goal: e.goal, inherited: false }
    this.#goalChanges.push(change)
    this.#round?.goalChanges.push(change)
    const goal = this.#goal(e.goalId, e.seq)
    goal.changes.push(change)
    if (e.goal) {
      goal.objective = e.goal.objective
      goal.phase = e.goal.phase
      goal.blockedReason = e.goal.blockedReason
      goal.cap = e.goal.maxGoalRounds
    } else goal.cleared = true
  }

  /** A goal may be met first in a round: a live capture can begin in the middle. */
  #goal(id: string, seq: number): Draft<Goal> {
    const known = this.#goals.get(id)
    if (known) return known
    const goal: Draft<Goal> = {
      id, objective: '', phase: 'active', blockedReason: null, cap: 0, createdSeq: seq, cleared: false, changes: [], rounds: [],
    }
    this.#goals.set(id, goal)
    return goal
  }

  // --- surface -------------------------------------------------------------------------------------------------

  /** Puts a row on the surface and takes off what it replaces. A replacement that names no known nodes is appended. */
  #place<V extends Draft<Visibility>>(op: SurfaceOp | null, by: Visibility['hiddenBy'], visibility: V): V {
    for (const gone of this.#surface.place(visibility, op) ?? []) {
      gone.to = visibility.from
      gone.hiddenBy = by
      this.#results.delete(gone.from)
    }
    return visibility
  }

  // --- the end ---------------------------------------------------------------------------------------------------

  /** The session so far; more events may follow, and it may be asked for again. Throws when no header was fed (the decoder throws first on anything that is not a log). */
  finish(): Session {
    const header = this.#header
    if (!header) throw new Error('SessionBuilder.finish() without a header')
    const cut = this.#cut
    const inherited = (seq: number): boolean => seq < cut
    for (const t of this.#turns) t.inherited = inherited(t.startSeq)
    for (const m of this.#messages) m.inherited = inherited(m.seq)
    for (const c of this.#calls) c.inherited = inherited(c.seq)
    for (const q of this.#questions) q.inherited = inherited(q.askedSeq)
    for (const g of this.#goalChanges) g.inherited = inherited(g.seq)
    for (const r of this.#rounds) r.inherited = inherited(r.fromSeq)
    return {
      source: this.#source, header, generation: `v${header.version}`,
      firstSeq: this.#firstSeq, lastSeq: this.#lastSeq, lastLine: this.#lastLine, startTime: this.#startTime, endTime: this.#endTime,
      events: this.#events, bytes: this.#bytes, inheritedBefore: cut,
      turns: this.#turns, messages: this.#messages, calls: this.#calls, questions: this.#questions,
      goals: [...this.#goals.values()],
      rounds: this.#rounds, requestHeaders: this.#headers, systemTexts: this.#systemTexts, toolDeltas: this.#toolDeltas,
      requests: this.#requests, approvals: [...this.#approvals.values()], hooks: this.#hooks, commands: [...this.#commands.values()],
      compactions: this.#compactions, inbox: this.#inbox, subagents: this.#subagents, descriptor: this.#descriptor,
      endSeeds: this.#endSeeds, planMode: this.#planMode, otherEvents: this.#otherEvents, issues: [...this.#issues, ...(this.#invariants?.finish() ?? [])], cutTexts: this.#texts.cut,
    }
  }
}

function hookKey({ handlerId, point }: { readonly handlerId: string; readonly point: string }): string {
  return `${point} ${handlerId}`
}

/** Without the room for more that `push` reserves: most lists are short and there are many. */
function fitted<T>(list: T[]): T[] {
  return list.length === 0 ? NONE : list.slice()
}

/** Nothing is ever put into a fitted list. */
const NONE: never[] = []

function visibleFrom(seq: number): Draft<Visibility> {
  return { from: seq, to: null, hiddenBy: null }
}
