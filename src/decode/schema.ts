/**
 * Shapes inside event payloads, in all generations, each turned into the one model. Keys nobody needs are not looked at:
 * the harness adds optional ones within a format version.
 */
import { z } from 'zod'
import type { ErrorIdentity, Message, MessageSource, SurfaceOp, ToolCallBlock, Usage } from './event.ts'

/** Later rooms walk arguments recursively; real ones are a few levels deep. */
export const MAX_DEPTH = 256
export function isShallow(value: unknown, levels = MAX_DEPTH): boolean {
  if (value === null || typeof value !== 'object') return true
  if (levels === 0) return false
  for (const inner of Object.values(value)) if (!isShallow(inner, levels - 1)) return false
  return true
}

export const count = z.int().nonnegative()
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

const plainBlocks = [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('image') }),
  z.object({ type: z.literal('tool-call'), id: z.string(), name: z.string(), arguments: z.string() }),
  z.object({ type: z.literal('tool-addition'), toolName: z.string() }),
  z.object({ type: z.literal('tool-removal'), toolName: z.string() }),
] as const
const KNOWN = ['tool-result', ...plainBlocks.map((block) => block.shape.type.value)]

/** A kind of block that is not known here (`file`, a plugin's own): kept as a place without content. */
const foreignBlock = z
  .object({ type: z.string().refine((type) => !KNOWN.includes(type)) })
  .transform(() => ({ type: 'foreign' as const }))

// Ordered so that the usual rows fit the first branch: a branch that does not fit costs more than all the rest.
const resultBlock = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  content: z.array(z.union([z.discriminatedUnion('type', plainBlocks), foreignBlock])),
  isError: z.boolean().optional(),
})
const anyContent = z.array(z.union([z.discriminatedUnion('type', [...plainBlocks, resultBlock]), foreignBlock]))
export type Content = z.output<typeof anyContent>

/** Content of the usual blocks is told apart by hand: most of a log passes here, and the schema takes ten times as long. */
export const content = z.unknown().transform((value, context): Content => {
  if (isUsualContent(value)) return value
  const parsed = anyContent.safeParse(value)
  if (parsed.success) return parsed.data
  for (const { code: _code, ...issue } of parsed.error.issues) context.addIssue({ code: 'custom', ...issue })
  return z.NEVER
})

export function isUsualContent(value: unknown): value is Content {
  return Array.isArray(value) && value.every(isUsualBlock)
}

function isUsualBlock(block: unknown): boolean {
  if (!isRecord(block)) return false
  switch (block['type']) {
    case 'text':
    case 'reasoning': return typeof block['text'] === 'string'
    case 'tool-call': return typeof block['id'] === 'string' && typeof block['name'] === 'string' && typeof block['arguments'] === 'string'
    case 'tool-result': return typeof block['toolCallId'] === 'string' && (block['isError'] === undefined || typeof block['isError'] === 'boolean') && Array.isArray(block['content']) && block['content'].every(isTextBlock)
    default: return false
  }
}

function isTextBlock(block: unknown): boolean {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object'
}

/** All text blocks, joined with a line break. */
export function textOf(blocks: Content): string {
  let text: string | null = null
  for (const block of blocks) if (block.type === 'text') text = text === null ? block.text : `${text}\n${block.text}`
  return text ?? ''
}
export const resultIn = (blocks: Content): z.output<typeof resultBlock> | undefined =>
  blocks.length === 1 && blocks[0]?.type === 'tool-result' ? blocks[0] : undefined
export const imagesIn = (blocks: Content): number => blocks.filter((block) => block.type === 'image').length
export const reasoningChars = (blocks: Content): number =>
  blocks.reduce((sum, block) => sum + (block.type === 'reasoning' ? block.text.length : 0), 0)
export function toolCallsIn(blocks: Content): ToolCallBlock[] {
  const calls: ToolCallBlock[] = []
  for (const block of blocks) if (block.type === 'tool-call') calls.push({ id: block.id, name: block.name, arguments: block.arguments })
  return calls
}
export const toolNames = (blocks: Content, type: 'tool-addition' | 'tool-removal'): string[] =>
  blocks.flatMap((block) => (block.type === type ? [block.toolName] : []))

/** Plugin producers that became kinds of their own in v4; the harness's migration from v3 renames them the same way. */
const KIND_OF_PLUGIN: ReadonlyMap<string, string> = new Map([
  ['@deepseek-ai/dsh-system-prompt', 'runtime-context'],
  ['compact', 'compact-checkpoint'],
  ['dsh-compaction-basic', 'compact-basic'],
  ['tools-code-mode', 'ptc-mode'],
  ['tools-ptc', 'ptc-mode'],
  ...[
    'repeat-tool-reminder', 'tool-goal', 'tool-jobs', 'plan-mode', 'hooks-codex', 'hooks-claude-code', 'user-approval', 'schedule',
    'time-context', 'tmux-context', 'model-selection', 'tool-cordis', 'cordis-host-runner', 'webhook', 'dsh-session-title-llm',
  ].map((name) => [name, name] as const),
])

export function kindOf(kind: string, plugin?: string): string {
  if (kind === 'coordinator' || kind === 'subagent-report') return 'agent-message'
  if (kind !== 'plugin' || plugin === undefined) return kind
  return KIND_OF_PLUGIN.get(plugin) ?? `plugin:${plugin}`
}

export const source = z
  .object({
    kind: z.string().min(1),
    plugin: z.string().exactOptional(),
    goalId: z.string().exactOptional(),
    revision: count.exactOptional(),
    round: count.exactOptional(),
    form: z.string().exactOptional(),
    summary: z.string().exactOptional(),
    callId: z.string().exactOptional(),
    outcome: z.string().exactOptional(),
    senderSessionId: z.string().exactOptional(),
  })
  .transform(({ kind, plugin, ...rest }): MessageSource => ({ kind: kindOf(kind, plugin), ...rest }))

/** A message with its blocks still apart. Before 0.1.0 `id` could be missing. */
export const rawMessage = z.object({ id: z.string().min(1).optional(), role: z.string().optional(), content, source })

export function messageOf(raw: { readonly id?: string | undefined; readonly source: MessageSource; readonly content: Content }): Message {
  return { id: raw.id ?? null, source: raw.source, text: textOf(raw.content), images: imagesIn(raw.content) }
}

/** The harness logs the input counters disjoint; what was billed is their sum. */
export const usage = z
  .object({ inputTokens: z.number(), outputTokens: z.number(), cacheReadTokens: z.number().optional(), cacheWriteTokens: z.number().optional() })
  .transform((raw): Usage => ({
    inputTokens: raw.inputTokens + (raw.cacheReadTokens ?? 0) + (raw.cacheWriteTokens ?? 0),
    outputTokens: raw.outputTokens,
  }))

export const errorIdentity = z
  .object({ name: z.string(), code: z.string(), reason: z.string().exactOptional() })
  .transform((raw): ErrorIdentity => raw)

/** v0–v2 write `start`/`end`, later formats `startSeq`/`endSeq`. */
export const surfaceOp = z.union([
  z.literal('append'),
  z.strictObject({ op: z.literal('replace'), start: count, end: count }).transform((op): SurfaceOp => ({ startSeq: op.start, endSeq: op.end })),
  z.strictObject({ op: z.literal('replace'), startSeq: count, endSeq: count }).transform((op): SurfaceOp => ({ startSeq: op.startSeq, endSeq: op.endSeq })),
])
