/**
 * What a leaf call is about. The harness's own tools are known by name; tools are an open set, so writes and edits are
 * told by the shape of their arguments, and anything else only by what it gave back.
 */
import { isRecord, tryJson } from '../model/canonical.ts'
import { QUESTION_TOOL } from '../model/questions.ts'
import type { LeafCall } from './leaf-calls.ts'
import { withoutVolatileButDates } from './volatile.ts'

/** Paths are without their volatile parts: a file that is written anew under the time of each writing is one file. */
export interface FileWrite { readonly kind: 'write'; readonly path: string; readonly content: string }
export interface FileEdit { readonly kind: 'edit'; readonly path: string; readonly edits: readonly { readonly from: string; readonly to: string }[] }

export type Act =
  | FileWrite
  | FileEdit
  | { readonly kind: 'read'; readonly path: string | null }
  /** `look`: cannot change anything. `ask`: asks something outside the workspace. `note`: prints into a file. `run`: anything else. */
  | { readonly kind: 'shell'; readonly does: 'look' | 'ask' | 'note' | 'change' | 'run' }
  /** Looks at jobs, subagents or a terminal; `id` names one of them. */
  | { readonly kind: 'poll'; readonly id: string }
  /** `update_goal` changes the goal, the others only look. */
  | { readonly kind: 'goal'; readonly updates: boolean }
  | { readonly kind: 'todo' | 'question' | 'other' }

const POLLS: ReadonlySet<string> = new Set(['job_output', 'job_list', 'list_agents', 'terminal_read', 'terminal_list'])
const READS: ReadonlySet<string> = new Set(['read', 'grep', 'glob', 'read_image'])
const SHELLS: ReadonlySet<string> = new Set(['bash', 'pwsh'])

export const isGoalTool = (name: string): boolean => name === 'get_goal' || name === 'update_goal' || name === 'create_goal'

export function actOf(leaf: LeafCall): Act {
  const { name } = leaf
  if (isGoalTool(name)) return { kind: 'goal', updates: name === 'update_goal' }
  if (name === 'todo_write') return { kind: 'todo' }
  if (name === QUESTION_TOOL) return { kind: 'question' }
  const args = tryJson(leaf.arguments.value)
  if (!isRecord(args)) return { kind: 'other' }
  if (POLLS.has(name)) return { kind: 'poll', id: text(args['job_id']) ?? text(args['terminal_id']) ?? '' }
  const named = text(args['file_path']) ?? text(args['path'])
  const path = named === null ? null : withoutVolatileButDates(named)
  if (READS.has(name)) return { kind: 'read', path: name === 'read' ? path : null }
  if (SHELLS.has(name)) return { kind: 'shell', does: shellDoes(text(args['command']) ?? '') }
  return (path === null ? null : fileChange(path, args)) ?? { kind: 'other' }
}

function fileChange(path: string, args: Record<string, unknown>): FileWrite | FileEdit | null {
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

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A look at a job, a subagent, a terminal or some service. */
export function isLookOutside(act: Act | undefined): boolean {
  return act?.kind === 'poll' || (act?.kind === 'shell' && act.does === 'ask')
}

/** Asks a service of somebody else: no edit of a file changes what it says. */
export function asksElsewhere({ arguments: args }: LeafCall, act: Act): boolean {
  return act.kind === 'shell' && act.does === 'ask' && !/localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]/.test(args.value)
}

/** Failed as a call, or a command that ended with another exit code than 0 (the harness calls that a success). */
export function hasFailed({ name, outcome }: LeafCall): boolean {
  if (!outcome) return false
  return outcome.isError || (SHELLS.has(name) && /\[exit code: (?!0\])-?\d+\]\s*$/.test(outcome.text.value))
}

/** Failed and gave nothing but the error: a command that printed a result before it failed has a result. */
export function gaveOnlyAnError(leaf: LeafCall): boolean {
  return hasFailed(leaf) && (leaf.outcome?.isError === true || /^(?:\s|\[stderr\]|\[exit code: )/.test(leaf.outcome?.text.value ?? ''))
}

/** Trouble on the way to some service, not with what was asked: it says nothing about the run. */
export function isInfrastructureFailure(leaf: LeafCall): boolean {
  return hasFailed(leaf) && INFRASTRUCTURE.test(leaf.outcome?.text.value ?? '')
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
