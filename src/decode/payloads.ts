/** Event type → how its payload becomes an event. Types that are known but need no payload are in `vocabulary.ts`. */
import { z } from 'zod'
import type { GoalSnapshot, LogEvent, SeqRun, SurfaceOp, TurnEndReason } from './event.ts'
import * as shape from './schema.ts'
import { count } from './schema.ts'
import { presetName } from './vocabulary.ts'

/** Of the row: all but the payload. */
export interface Head {
  readonly seq: number
  readonly time: number
  readonly line: number
  readonly bytes: number
  readonly ignorable?: true
}

export interface SurfacePlace {
  readonly surfaceOp: SurfaceOp | null
  readonly sourceEventSeqs: readonly SeqRun[] | null
}

/** The error tells where the payload does not fit. */
export type Reader = (data: unknown, head: Head, surface: SurfacePlace) => LogEvent | z.ZodError

type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never
type Payload = Without<LogEvent, keyof Head>
type SurfacePayload = Without<Extract<LogEvent, SurfacePlace>, keyof Head | keyof SurfacePlace>

// The envelope is assigned onto the payload: a literal that begins with a spread takes V8 thirty times as long.
function reader<S extends z.ZodType>(schema: S, build: (data: z.output<S>) => Payload): Reader {
  return (data, head) => {
    const parsed = schema.safeParse(data)
    return parsed.success ? Object.assign(build(parsed.data), head) : parsed.error
  }
}

function surfaceReader<S extends z.ZodType>(schema: S, build: (data: z.output<S>) => SurfacePayload): Reader {
  return (data, head, surface) => {
    const parsed = schema.safeParse(data)
    return parsed.success ? Object.assign(build(parsed.data), surface, head) : parsed.error
  }
}

const inStep = { turn: count, step: count }
const nullable = <T>(value: T | undefined): T | null => value ?? null

const failure = z.object({ message: z.string(), code: z.string().optional(), status: z.number().optional() })
type Failure = z.output<typeof failure>

const endedByFailure = (cause: Failure): TurnEndReason => ({
  kind: 'error',
  code: cause.code ?? 'UNKNOWN',
  detail: `${cause.code ?? 'UNKNOWN'}: ${cause.message}`,
  ...(cause.status === undefined ? {} : { status: cause.status }),
})

/** Retired forms are those the 0.1.1 reader still took: a bare `aborted`, `disposed`, and errors without an `error` object. */
const turnEndReason = z
  .object({
    kind: z.string(),
    reason: z.object({ kind: z.string(), reason: z.string().optional() }).optional(),
    error: failure.optional(),
    failure: failure.optional(),
    ...failure.partial().shape,
  })
  .transform(({ kind, reason, message, ...raw }, context): TurnEndReason => {
    switch (kind) {
      case 'aborted':
        return { kind, cause: reason?.kind ?? 'legacy', ...(reason?.reason === undefined ? {} : { detail: reason.reason }) }
      case 'disposed':
        return { kind: 'aborted', cause: 'disposed' }
      case 'error': {
        const cause = raw.error ?? raw.failure ?? (message === undefined ? undefined : { message, code: raw.code, status: raw.status })
        if (cause) return endedByFailure(cause)
        context.addIssue({ code: 'custom', message: 'an error without its failure' })
        return z.NEVER
      }
      default:
        return { kind }
    }
  })

/** The wrapped message, or the retired `{content, provenance}`. */
const assistantMessage = z
  .object({ ...inStep, message: shape.rawMessage.optional(), content: shape.content.optional(), usage: shape.usage.optional(), interrupted: z.boolean().optional() })
  .transform(({ message, content, ...data }, context) => {
    const body = message ?? (content && { content, source: { kind: 'model' } })
    if (body) return { body, ...data }
    context.addIssue({ code: 'custom', message: 'a message is missing' })
    return z.NEVER
  })

/** v4 carries the result on the message, v0–v3 in its only block, the oldest logs directly in the payload. */
const flatResult = z.object({ id: z.string().optional(), toolCallId: z.string().optional(), content: shape.content, isError: z.boolean().optional() })
const toolResult = z
  .object({
    ...inStep, error: shape.errorIdentity.optional(), message: flatResult.optional(),
    callId: z.string().optional(), content: shape.content.optional(), isError: z.boolean().optional(),
  })
  .transform(({ message, ...data }, context) => {
    const body = message
      ? message.toolCallId === undefined ? shape.resultIn(message.content) : message
      : { toolCallId: data.callId, content: data.content, isError: data.isError }
    if (body?.toolCallId !== undefined && body.content) {
      return { turn: data.turn, step: data.step, error: data.error, messageId: message?.id ?? null, callId: body.toolCallId, content: body.content, isError: body.isError ?? false }
    }
    context.addIssue({ code: 'custom', message: 'no single result with its call id' })
    return z.NEVER
  })

const json = z.unknown().refine((value) => shape.isShallow(value), `is nested deeper than ${shape.MAX_DEPTH} levels`)

const dispatch = { rootCallId: z.string(), parentCallId: z.string(), subCallId: z.string(), name: z.string(), arguments: json }

/** Snapshot fixtures have bare names, or a placeholder in place of the list. */
const headerTools = z.union([
  z.array(z.union([
    z.object({ name: z.string(), parameters: z.unknown().optional() }),
    z.string().transform((name) => ({ name, parameters: undefined })),
  ])),
  z.string().transform(() => undefined),
])

const timed = z.object({ properties: z.object({ timeout: z.unknown().optional() }).refine((properties) => properties.timeout !== undefined) })

const goalSnapshot = z
  .object({
    id: z.string(), revision: count, objective: z.string(), phase: z.string(), maxGoalRounds: count,
    blockedReason: z.object({ code: z.string(), message: z.string() }).nullish(),
  })
  .transform((goal): GoalSnapshot => ({ ...goal, blockedReason: goal.blockedReason ?? null }))

const range = z.object({ start: count, end: count }).optional()
/** Logs older than the id have none; compactions never overlap. */
const compactionId = z.string().default('legacy-compaction')
const compactionMark = { compactionId, turn: count.nullish() }

const userMessage = surfaceReader(shape.rawMessage.extend({ source: shape.source.optional() }), (data) => ({
  type: 'user/message', message: shape.messageOf({ id: data.id, content: data.content, source: data.source ?? { kind: 'user' } }),
}))

const promptMessage = (type: 'system/message' | 'developer/message'): Reader =>
  surfaceReader(z.object({ ...inStep, message: shape.rawMessage }), ({ turn, step, message }) => ({
    type, turn, step, message: fromSystemPrompt(shape.messageOf(message), type),
    toolAdditions: shape.toolNames(message.content, 'tool-addition'),
    toolRemovals: shape.toolNames(message.content, 'tool-removal'),
  }))

/** The same plugin wrote the system prompt and the runtime context; v4 tells them apart by kind. */
function fromSystemPrompt(message: ReturnType<typeof shape.messageOf>, type: string): ReturnType<typeof shape.messageOf> {
  return type === 'system/message' && message.source.kind === 'runtime-context' ? { ...message, source: { ...message.source, kind: 'system-prompt' } } : message
}

const inStepMark = (type: 'step/start' | 'step/end'): Reader =>
  reader(z.object(inStep), (data) => ({ type, ...data }))

const dispatchStart = reader(z.object(dispatch), (data) => ({ type: 'dispatch/start', ...data }))
const dispatchEnd = reader(
  z.object({ ...dispatch, isError: z.boolean(), content: shape.content, error: shape.errorIdentity.optional() }),
  ({ content, error, ...data }) => ({
    type: 'dispatch/end', ...data, text: shape.textOf(content), images: shape.imagesIn(content), error: nullable(error),
  }),
)

const compactionStart = reader(z.object(compactionMark), (data) => ({
  type: 'compaction/start', compactionId: data.compactionId, turn: nullable(data.turn),
}))
const compactionSummary = reader(
  z.object({ compactionId, summary: shape.content, shadowedSeqs: z.array(count).default([]), shadowedRange: range, usage: shape.usage.optional() }),
  ({ summary, ...data }) => ({
    type: 'compaction/summary', compactionId: data.compactionId, summary: shape.textOf(summary), shadowedSeqs: data.shadowedSeqs,
    shadowedRange: nullable(data.shadowedRange), usage: nullable(data.usage),
  }),
)
const compactionEnd = reader(z.object({ ...compactionMark, error: z.string().optional() }), (data) => ({
  type: 'compaction/end', compactionId: data.compactionId, turn: nullable(data.turn), error: nullable(data.error),
}))
const compactionPrune = reader(z.object({ shadowedSeqs: z.array(count), shadowedRange: range }), (data) => ({
  type: 'compaction/prune', shadowedSeqs: data.shadowedSeqs, shadowedRange: nullable(data.shadowedRange),
}))

export const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['turn/start', reader(z.object({ turn: count }), ({ turn }) => ({ type: 'turn/start', turn }))],
  ['turn/end', reader(z.object({ turn: count, reason: turnEndReason }), (data) => ({ type: 'turn/end', ...data }))],
  ['step/start', inStepMark('step/start')],
  ['step/end', inStepMark('step/end')],
  ['user/message', userMessage],
  ['steering/message', userMessage],
  ['system/message', promptMessage('system/message')],
  ['developer/message', promptMessage('developer/message')],
  ['assistant/message', surfaceReader(assistantMessage, ({ turn, step, body, ...data }) => ({
    type: 'assistant/message', turn, step, message: shape.messageOf(body),
    reasoningChars: shape.reasoningChars(body.content), toolCalls: shape.toolCallsIn(body.content),
    usage: nullable(data.usage), interrupted: data.interrupted ?? false,
  }))],
  ['assistant/attempt', reader(z.object(inStep), (data) => ({ type: 'assistant/attempt', ...data }))],
  ['tool/call', reader(z.object({ ...inStep, callId: z.string(), name: z.string(), arguments: z.string() }), (data) => ({
    type: 'tool/call', ...data,
  }))],
  ['tool/result', surfaceReader(toolResult, ({ turn, step, error, messageId, callId, content, isError }) => ({
    type: 'tool/result', turn, step, callId, messageId, isError,
    text: shape.textOf(content), images: shape.imagesIn(content), error: nullable(error),
  }))],
  ['tool/code-dispatch-start', dispatchStart],
  ['tool/ptc-dispatch-start', dispatchStart],
  ['tool/code-dispatch', dispatchEnd],
  ['tool/ptc-dispatch', dispatchEnd],
  ['request/header', reader(
    z.object({
      header: z.object({
        config: z.object({ provider: z.string().optional(), model: z.string().optional() }),
        system: z.string().optional(), tools: headerTools.optional(),
      }),
      reason: z.string(),
    }),
    ({ header: { config, system, tools }, reason }) => ({
      type: 'request/header', reason, provider: nullable(config.provider), model: nullable(config.model),
      tools: tools?.map((tool) => tool.name) ?? null, system: nullable(system),
      timedQuestions: tools?.some((tool) => tool.name === 'ask_user_question' && timed.safeParse(tool.parameters).success) ?? false,
    }),
  )],
  ['request/context', reader(z.object({ contextWindow: z.number().optional() }), (data) => ({
    type: 'request/context', contextWindow: nullable(data.contextWindow),
  }))],
  ['llm/retry', reader(
    z.object({ ...inStep, retryId: z.string().optional(), retry: count, maxRetries: count.optional(), delayMs: z.number(), failure }),
    ({ turn, step, retry, delayMs, ...data }) => ({
      type: 'llm/retry', turn, step, retry, delayMs, retryId: nullable(data.retryId), maxRetries: nullable(data.maxRetries),
      code: data.failure.code ?? 'UNKNOWN', status: nullable(data.failure.status), failure: data.failure.message,
    }),
  )],
  ['llm/retry-started', reader(z.object({ ...inStep, retryId: z.string().optional(), retry: count }), ({ retryId, ...data }) => ({
    type: 'llm/retry-started', ...data, retryId: nullable(retryId),
  }))],
  ['session/end-seed', reader(z.object({ inherited: z.boolean().optional() }), (data) => ({
    type: 'session/end-seed', inherited: data.inherited ?? false,
  }))],
  ['todo/write', reader(z.object({ todos: z.array(z.object({ content: z.string(), status: z.string() })) }), (data) => ({
    type: 'todo/write', todos: data.todos,
  }))],
  ['agent/inbox/spliced', reader(
    z.object({ target: z.string(), start: count, removedCount: count.optional(), inserted: z.array(shape.rawMessage), outcome: z.string().optional() }),
    ({ target, start, ...data }) => ({
      type: 'agent/inbox/spliced', target, start, removedCount: data.removedCount ?? 0,
      inserted: data.inserted.map(shape.messageOf), outcome: nullable(data.outcome),
    }),
  )],
  ['goal/change', reader(
    z.union([
      z.object({ operation: z.literal('clear'), cleared: z.object({ id: z.string(), revision: count }) })
        .transform(({ operation, cleared }) => ({ operation, goalId: cleared.id, revision: cleared.revision, goal: null, roundsStarted: 0 })),
      z.object({ operation: z.string(), goal: goalSnapshot, roundsStarted: count })
        .transform(({ operation, goal, roundsStarted }) => ({ operation, goalId: goal.id, revision: goal.revision, goal, roundsStarted })),
    ]),
    (data) => ({ type: 'goal/change', ...data }),
  )],
  ['approval/asked', reader(
    z.object({ id: z.string(), toolName: z.string(), callId: z.string().optional(), reason: z.string().optional() }),
    ({ id, toolName, callId, reason }) => ({ type: 'approval/asked', id, toolName, callId: nullable(callId), reason: nullable(reason) }),
  )],
  ['approval/decided', reader(z.object({ id: z.string(), outcome: z.string() }), (data) => ({ type: 'approval/decided', ...data }))],
  ['plan/mode', reader(z.object({ active: z.boolean() }), (data) => ({ type: 'plan/mode', ...data }))],
  ['hook/invoked', reader(
    z.object({ turn: count, point: z.string(), handlerId: z.string(), matcher: z.string().optional() }),
    ({ matcher, ...data }) => ({ type: 'hook/invoked', ...data, matcher: nullable(matcher) }),
  )],
  ['hook/result', reader(
    z.object({ turn: count, point: z.string(), handlerId: z.string(), decision: z.string(), durationMs: z.number(), stderrSummary: z.string().optional() }),
    ({ stderrSummary, ...data }) => ({ type: 'hook/result', ...data, stderrSummary: nullable(stderrSummary) }),
  )],
  ['command/run', reader(
    z.object({ commandId: z.string(), name: z.string(), args: z.string().optional(), source: z.object({ kind: z.string() }) }),
    ({ commandId, name, args, source }) => ({ type: 'command/run', commandId, name, args: args ?? '', sourceKind: source.kind }),
  )],
  ['command/done', reader(z.object({ commandId: z.string(), kind: z.string(), text: z.string().optional() }), ({ text, ...data }) => ({
    type: 'command/done', ...data, text: nullable(text),
  }))],
  ['agent-preset/selected', reader(z.object({ agentPreset: z.string() }), (data) => ({
    type: 'agent-preset/selected', agentPreset: presetName(data.agentPreset),
  }))],
  ['compaction/start', compactionStart],
  ['compaction/summary', compactionSummary],
  ['compaction/end', compactionEnd],
  ['compaction/prune', compactionPrune],
  ['compact/start', compactionStart],
  ['compact/summary', compactionSummary],
  ['compact/end', compactionEnd],
  ['compact/prune', compactionPrune],
  ['subagent/descriptor', reader(z.object({ mode: z.string(), label: z.string().optional() }), (data) => ({
    type: 'subagent/descriptor', mode: data.mode, label: nullable(data.label),
  }))],
  ['subagent/catalog', reader(z.object({ childId: z.string(), mode: z.string(), label: z.string().optional() }), (data) => ({
    type: 'subagent/catalog', childId: data.childId, mode: data.mode, label: nullable(data.label),
  }))],
  ['tool-workflow/agent-start', reader(z.object({ childId: z.string(), label: z.string().optional() }), (data) => ({
    type: 'tool-workflow/agent-start', childId: data.childId, label: nullable(data.label),
  }))],
])
