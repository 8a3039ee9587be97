/** Which format versions write an event type (inclusive). Types of plugins and later builds are not in here. */
interface Lifetime {
  readonly since: number
  readonly until: number
}

const lifetime = (since: number, until: number, types: readonly string[]): (readonly [string, Lifetime])[] =>
  types.map((type) => [type, { since, until }] as const)

const EVER = Number.POSITIVE_INFINITY

/** The harness's `known-event-types` of all builds up to 0.2.1, with the names its older readers still took. */
export const KNOWN_TYPES: ReadonlyMap<string, Lifetime> = new Map([
  ...lifetime(0, EVER, [
    'turn/start', 'turn/end', 'step/start', 'step/end', 'user/message', 'assistant/message', 'tool/call', 'tool/result',
    'request/header', 'request/context', 'llm/retry', 'llm/retry-started', 'session/end-seed', 'todo/write',
    'agent/inbox/spliced', 'goal/change', 'approval/asked', 'approval/decided', 'approval/policy', 'permission/preset',
    'sandbox/mode', 'plan/mode', 'hook/invoked', 'hook/result', 'command/run', 'command/done', 'agent-preset/selected',
    'feedback/record', 'compaction/start', 'compaction/summary', 'compaction/end', 'compaction/prune', 'subagent/descriptor',
    'tool-workflow/run-start', 'tool-workflow/agent-start', 'tool-workflow/agent-end', 'tool-workflow/run-end', 'team/member',
    'team/task', 'team/message/queued', 'team/message/delivered', 'schedule/change', 'session/title', 'session/title-llm-request',
    'web/deepseek-search-llm-request', 'model/selection', 'subagent/model-selection-policy', 'session-log-deepseek/delivery-accepted',
  ]),
  ...lifetime(0, 0, ['assistant/chunk', 'steering/message', 'compact/start', 'compact/summary', 'compact/end', 'compact/prune']),
  ...lifetime(0, 2, ['tool/code-dispatch-start', 'tool/code-dispatch']),
  ...lifetime(2, EVER, ['assistant/attempt', 'feedback/message-put', 'feedback/message-delete']),
  ...lifetime(3, EVER, ['system/message', 'tool/ptc-dispatch-start', 'tool/ptc-dispatch', 'deliverables/presented', 'subagent/catalog', 'image/offload']),
  ...lifetime(4, EVER, ['developer/message', 'workspace/changes']),
])

/** Types whose events stand on the surface: they must carry `surfaceOp`, all other known types must not. */
export const SURFACE_TYPES: ReadonlySet<string> = new Set(['user/message', 'steering/message', 'assistant/message', 'tool/result', 'system/message', 'developer/message'])

/** The preset `code` was renamed with the receipts. */
export function presetName(preset: string): string {
  return preset === 'code' ? 'ptc' : preset
}
