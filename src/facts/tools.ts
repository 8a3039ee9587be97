/**
 * What a leaf call is about. The harness's own tools are known by name; tools are an open set, so writes and edits are
 * told by the shape of their arguments, and anything else only by what it gave back.
 */
import { isRecord, tryJson } from '../model/canonical.ts'
import { QUESTION_TOOL } from '../model/questions.ts'
import type { Receipt } from '../model/session.ts'
import type { Text } from '../model/text.ts'
import { withoutVolatileButDates } from './volatile.ts'

/**
 * Of commands: `look` cannot change anything, `ask` asks something outside the workspace, `note` prints into a file, `change`
 * changes files, `run` is anything else. `poll` looks at jobs, subagents or a terminal; `goal` is any goal tool.
 */
export type Act = 'write' | 'edit' | 'read' | 'look' | 'ask' | 'note' | 'change' | 'run' | 'poll' | 'goal' | 'todo' | 'question' | 'other'

/** `path` is without its volatile parts: a file that is written anew under the time of each writing is one file. */
export type FileChange =
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly edits: readonly { readonly from: string; readonly to: string }[] }

/** What is read of a leaf call here. */
interface Leaf {
  readonly name: string
  readonly arguments: Text
  readonly act: Act
  readonly failed: boolean
  readonly outcome: Receipt | null
}

const POLLS: ReadonlySet<string> = new Set(['job_output', 'job_list', 'list_agents', 'terminal_read', 'terminal_list'])
const READS: ReadonlySet<string> = new Set(['read', 'grep', 'glob', 'read_image'])
const SHELLS: ReadonlySet<string> = new Set(['bash', 'pwsh'])

export const isGoalTool = (name: string): boolean => name === 'get_goal' || name === 'update_goal' || name === 'create_goal'

/** Tries to report the goal as blocked. The action comes early in canonical JSON, so cut arguments show it too. */
export function triesToBlock({ name, arguments: args }: Pick<Leaf, 'name' | 'arguments'>): boolean {
  return name === 'update_goal' && args.value.includes('"action":"blocked"')
}

/** `args`: as the model keeps them. What cannot be told because they are cut may have changed anything. */
export function actOf(name: string, args: string, whole: boolean): Act {
  if (isGoalTool(name)) return 'goal'
  if (name === 'todo_write') return 'todo'
  if (name === QUESTION_TOOL) return 'question'
  const value = tryJson(args)
  if (!isRecord(value)) return whole || READS.has(name) || POLLS.has(name) ? 'other' : 'change'
  if (POLLS.has(name)) return 'poll'
  if (READS.has(name)) return 'read'
  if (SHELLS.has(name)) return shellDoes(text(value['command']) ?? '')
  return changeIn(value)?.kind ?? 'other'
}

/** Null: neither a write nor an edit. */
export function fileChange({ arguments: args }: Leaf): FileChange | null {
  const value = tryJson(args.value)
  return isRecord(value) ? changeIn(value) : null
}

function changeIn(args: Record<string, unknown>): FileChange | null {
  const path = pathIn(args)
  if (path === null) return null
  const content = text(args['content']) ?? text(args['file_text'])
  if (content !== null) return { kind: 'write', path, content }
  const list = Array.isArray(args['edits']) ? args['edits'].filter(isRecord) : [args]
  const edits = list.flatMap((e) => {
    const from = text(e['old_string']) ?? text(e['old_str'])
    const to = text(e['new_string']) ?? text(e['new_str'])
    return from === null || to === null ? [] : [{ from, to }]
  })
  return edits.length === list.length && edits.length > 0 ? { kind: 'edit', path, edits } : null
}

function pathIn(args: Record<string, unknown>): string | null {
  const named = text(args['file_path']) ?? text(args['path'])
  return named === null ? null : withoutVolatileButDates(named)
}

/** The file a `read` shows; null: another tool. */
export function readPath({ name, arguments: args }: Leaf): string | null {
  const value = name === 'read' ? tryJson(args.value) : null
  return isRecord(value) ? pathIn(value) : null
}

/** The job or terminal that a poll looks at; empty: it looks at all. */
export function polledId({ arguments: args }: Leaf): string {
  const value = tryJson(args.value)
  return isRecord(value) ? (text(value['job_id']) ?? text(value['terminal_id']) ?? '') : ''
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A look at a job, a subagent, a terminal or some service. */
export function isLookOutside({ act }: Leaf): boolean {
  return act === 'poll' || act === 'ask'
}

/** Asks a service of somebody else: no edit of a file changes what it says. */
export function asksElsewhere({ act, arguments: args }: Leaf): boolean {
  return act === 'ask' && !/localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]/.test(args.value)
}

/** A command that ended with another exit code than 0. */
export function endedBadly(name: string, result: string): boolean {
  return SHELLS.has(name) && /\[exit code: (?!0\])-?\d+\]\s*$/.test(result)
}

/** Failed and gave nothing but the error: a command that printed a result before it failed has a result. */
export function gaveOnlyAnError({ failed, outcome }: Leaf): boolean {
  return failed && outcome !== null && (outcome.isError || /^(?:\s|\[stderr\]|\[exit code: )/.test(outcome.text.value))
}

/** Trouble on the way to some service, not with what was asked: it says nothing about the run. */
export function isInfrastructureFailure({ failed, outcome }: Leaf): boolean {
  return failed && INFRASTRUCTURE.test(outcome?.text.value ?? '')
}

const INFRASTRUCTURE = /\b(?:429|50[0234]|529)\b|\bE(?:CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|HOSTUNREACH|NETUNREACH|PIPE)\b|connection (?:refused|reset|timed out)|could not resolve host|temporary failure in name resolution|rate limit/i

// --- shell commands ------------------------------------------------------------------------------------------------

const LOOKS = /^(?:ls|cat|head|tail|wc|grep|rg|egrep|fgrep|find|fd|tree|pwd|echo|printf|date|env|printenv|which|type|file|stat|du|df|ps|uname|whoami|id|test|\[|true|sort|uniq|cut|awk|jq|diff|cmp|nl|column|basename|dirname|realpath|cd|sleep|git (?:-C \S+ )?(?:status|log|diff|show|branch|remote|rev-parse|ls-files|blame|describe|tag|config --get|stash list))(?:\s|$)/
const CHANGES = /^(?:rm|mv|cp|mkdir|rmdir|touch|ln|chmod|chown|tee|patch|truncate|install|unzip|tar|git (?:-C \S+ )?(?:add|commit|checkout|switch|restore|reset|revert|merge|rebase|apply|am|stash|mv|rm|clone|pull|push|fetch|cherry-pick|clean|init|worktree)|sed (?:\S+ )*-i|perl (?:\S+ )*-\w*i|(?:npm|pnpm|yarn|bun) (?:i|install|ci|add|remove|uninstall|update)|pip3? (?:install|uninstall)|cargo (?:add|remove|fmt)|go (?:get|mod)|apt(?:-get)? )/
const SERVICES = /^(?:ping|nc|dig|nslookup|host|journalctl|squeue|qstat)(?:\s|$)|^(?:curl|wget|http)(?=\s)(?![^]*\s(?:-X ?|--request[ =])(?!GET)|[^]*\s(?:-d|-F|-T|--data\S*|--json|--form|--upload-file)\b)/
const CLIENTS = /^(?:(?:kubectl|docker|podman|helm|aws|gcloud|az|systemctl|oc)(?: compose)?(?: (?!exec |run |build )[\w.-]+){0,2}|(?:gh|glab)(?: [\w-]+)?) (?:get|list|ls|ps|describe|show|status|logs?|inspect|view|watch|wait|info|top|images|stats|checks|history|is-active)(?:-[\w-]+)?(?:\s|$)/
const ANY_CLIENT = /^(?!git |npm |go |cargo )\S+ (?:-\S+ )*(?:show|status|view|describe|info|list|watch|wait|poll|logs)(?:\s|$)/
/** The same for PowerShell. */
const CMDLETS = {
  look: /^(?:get-(?:content|childitem|item|location|date|filehash)|(?:select|where|sort|measure|format)-\w+|test-path|write-(?:output|host)|start-sleep|gc|gci|dir|sls)(?:\s|$)/i,
  ask: /^(?:get-(?:service|process|job|eventlog|winevent)|invoke-(?:webrequest|restmethod)|test-netconnection|iwr|irm)(?:\s|$)/i,
  note: /^(?:(?:set|add|clear)-content|out-file)(?:\s|$)/i,
  change: /^(?:remove|move|copy|rename|new)-item(?:\s|$)/i,
}
const WRITES_FILE = /(?:^|[^\d&>|=-])(?:1?>{1,2}|&>)\s*(?!\/dev\/|&)[^\s&|>]/

/** The strongest thing that any part of the command does; `run` when a part is unknown. */
function shellDoes(command: string): 'look' | 'ask' | 'note' | 'change' | 'run' {
  const unquoted = command.replace(/'[^']*'|(?<!\\)"(?:[^"\\]|\\.)*"/g, 'Q')
  const parts = unquoted.split(/\|\|?|&&|;|\n/).map((p) => p.trim().replace(/^(?:\w+=\S* |sudo |time |timeout \S+ |then |do |else |if |while |for |! |\()+/, '')).filter((p) => p !== '')
  const notes = WRITES_FILE.test(unquoted) || parts.some((p) => CMDLETS.note.test(p))
  const onlyLooks = parts.every((p) => isLook(p) || CMDLETS.note.test(p))
  if (notes) return onlyLooks ? 'note' : 'change'
  if (parts.some((p) => CHANGES.test(p) || CMDLETS.change.test(p))) return 'change'
  if (onlyLooks) return 'look'
  return parts.every((p) => isLook(p) || isQuery(p)) ? 'ask' : 'run'
}

function isLook(part: string): boolean {
  return LOOKS.test(part) || CMDLETS.look.test(part)
}

/** Asks a service for its state. */
function isQuery(part: string): boolean {
  return SERVICES.test(part) || CLIENTS.test(part) || ANY_CLIENT.test(part) || CMDLETS.ask.test(part)
}
