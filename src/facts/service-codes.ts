/**
 * Why a question got no answer: the gates of a call in the order in which they are passed, with what each writes.
 * A refusal by one gate proves that the earlier ones were passed and says nothing about the later ones.
 * Sources: dsh-tools (pipeline), dsh-user-questions (service), dsh-apiproxy and the web client (provider).
 */
import type { ErrorIdentity } from '../decode/event.ts'

/** Who refused: the tool pipeline, a policy in front of the tool, the question service, the provider (host, UI). */
export type Layer = 'pipeline' | 'policy' | 'tool' | 'service' | 'provider'

export type UnansweredReason =
  | 'pending' | 'interrupted' | 'aborted' | 'cancelled' | 'denied' | 'no-provider' | 'delegated' | 'service-error' | 'invalid' | 'unknown-tool'
  | 'timeout' | 'run-over'

export interface Gate {
  /** Stable code; for gates that write none: a name in kebab case. */
  readonly code: string
  readonly layer: Layer
  /** Matches the text after `Error: `; the receipts of older builds carry no code. */
  readonly text: RegExp
  readonly reason: UnansweredReason
  /** What it means, as a clause. */
  readonly means: string
}

/** A gate whose texts are open-ended: told by its code alone. */
const NO_TEXT = /(?!)/

/** In gate order. */
export const gates: readonly Gate[] = [
  { code: 'UNKNOWN_TOOL', layer: 'pipeline', text: /^unknown tool "/, reason: 'unknown-tool', means: 'the tool cannot be called this way in this session' },
  { code: 'ABORTED_BEFORE_DISPATCH', layer: 'pipeline', text: /^tool call aborted before dispatch$/, reason: 'aborted', means: 'the turn was cancelled before the call started' },
  { code: 'AUTO_REVIEW_DENIED', layer: 'policy', text: NO_TEXT, reason: 'denied', means: 'the automatic review refused the call' },
  { code: 'approval', layer: 'policy', text: /^(?:the user rejected tool "|approval for tool "[^"]*" was cancelled$|tool "[^"]*" requires approval)/, reason: 'denied', means: 'the call needed an approval and did not get it' },
  { code: 'hook', layer: 'policy', text: /^blocked by PreToolUse hook$/, reason: 'denied', means: 'a hook blocked the call' },
  { code: 'denial', layer: 'policy', text: NO_TEXT, reason: 'denied', means: 'a guard or another policy denied the call' },
  { code: 'INVALID_ARGS', layer: 'tool', text: /^invalid arguments: /, reason: 'invalid', means: 'the arguments do not fit the tool' },
  { code: 'BAD_TIMEOUT', layer: 'tool', text: NO_TEXT, reason: 'invalid', means: 'the time limit of the question is not usable' },
  { code: 'duplicate-id', layer: 'tool', text: /^question id "[^]*" must be unique within this call$/, reason: 'invalid', means: 'two questions of one call have the same id' },
  { code: 'EMPTY_QUESTIONS', layer: 'service', text: /^ask_user_question requires at least one question$/, reason: 'service-error', means: 'the call held no question' },
  { code: 'CALLER_NOT_LIVE', layer: 'service', text: /^human interaction requires the exact live calling agent/, reason: 'service-error', means: 'the calling agent is no longer the live one' },
  { code: 'DELEGATED_CALLER', layer: 'service', text: /^human interaction is unavailable while the calling agent is owned by another live agent/, reason: 'delegated', means: 'a subagent asked; only its owner may talk to the human' },
  { code: 'BAD_INTENT', layer: 'service', text: /^question [^]* declares intent /, reason: 'service-error', means: 'the question declares an intent it does not fit' },
  { code: 'DUPLICATE_WAIT', layer: 'service', text: NO_TEXT, reason: 'service-error', means: 'the same call already waits' },
  { code: 'NO_PROVIDER', layer: 'service', text: /^no user-questions (?:provider is registered|answerer accepted the request)/, reason: 'no-provider', means: 'no user interface was there to show the question' },
  { code: 'ASK_MISSING_AGENT', layer: 'provider', text: /^web user interaction requires an agent-owned session$/, reason: 'service-error', means: 'the web host takes questions of agents only' },
  { code: 'provider-gone', layer: 'provider', text: /^web user-questions provider was disposed$/, reason: 'aborted', means: 'the user interface went away while the question was open' },
  { code: 'ASK_ABORTED', layer: 'provider', text: /^ask_user_question was aborted before the user answered$/, reason: 'aborted', means: 'the wait was ended by a signal; nobody refused' },
  { code: 'ASK_CANCELLED', layer: 'provider', text: /^the user cancelled ask_user_question$/, reason: 'cancelled', means: 'the human dismissed the question' },
  { code: 'provider-error', layer: 'provider', text: NO_TEXT, reason: 'service-error', means: 'whoever should have asked the human failed' },
  { code: 'INVALID_TOOL_OUTPUT', layer: 'provider', text: /^tool "[^"]*" returned invalid output: /, reason: 'service-error', means: 'the answer had a shape the tool must not return' },
  { code: 'TOOL_TIMEOUT', layer: 'pipeline', text: /^tool call timed out after \d+ms$/, reason: 'timeout', means: 'the time limit of the tool call ran out' },
  { code: 'ABORTED', layer: 'pipeline', text: /^tool call aborted$/, reason: 'aborted', means: 'the call was cancelled while it ran' },
]

/** A policy decides without a human, so its refusal comes at once; whoever shows a dialog takes longer. */
const AT_ONCE_MS = 100

export interface Refusal {
  readonly gate: Gate
  /** The text is one the harness writes, or an error object names the gate. False: told from the time it took. */
  readonly known: boolean
}

/** Which gate wrote a failed question call. `waitMs`: from the call to its failure; `policy`: a hook or an approval spoke in between. */
export function readRefusal(failed: { readonly text: string; readonly error: ErrorIdentity | null }, waitMs: number, policy: boolean): Refusal {
  const text = failed.text.replace(/^Error: /, '')
  const byText = gates.find((g) => g.text.test(text))
  const byCode = gates.find((g) => g.code === failed.error?.code)
  const known = byText ?? byCode
  if (known) return { gate: known, known: true }
  // Plugins may answer questions too: an error class of their own means that the service was reached.
  const reached = failed.error !== null || (waitMs > AT_ONCE_MS && !policy)
  return { gate: gate(reached ? 'provider-error' : 'denial'), known: failed.error !== null || policy }
}

function gate(code: string): Gate {
  const found = gates.find((g) => g.code === code)
  if (!found) throw new Error(`no gate ${code}`)
  return found
}

/** Gates that come after this one: a refusal here does not tell whether they would have let the question pass. */
export function gatesAfter(at: Gate): readonly Gate[] {
  return gates.slice(gates.indexOf(at) + 1)
}
