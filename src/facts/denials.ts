/**
 * How far a question got on its way: listeners, hooks and approvals stand first, then the guards (`tools.guard`), then the
 * tool's body, then the question service, then the human. Where it ended says what it had passed before.
 */
import { between } from '../model/ascending.ts'
import type { QuestionCall, Session } from '../model/session.ts'
import { readRefusal } from './service-codes.ts'
import type { Certainty } from './vocabulary.ts'

/**
 * `guard`: denied by an unnamed guard or listener · `policy`: denied by a hook, an approval, an automatic review or the
 * harness's own guard for structured runs · `harness`: never a question (unknown tool, bad arguments, cancelled before it
 * began) · `service`: reached the question service or the human · `unclear`: the log does not tell.
 */
export type GateName = 'guard' | 'policy' | 'harness' | 'service' | 'unclear'

export interface GateVerdict {
  readonly gate: GateName
  readonly certainty: Certainty
}

/** The one guard the harness mounts itself: a structured run that has reported is over (dsh-subagent-in-process-driver). */
const STRUCTURED_RUN_OVER = /^structured output already recorded/

/** A failure's text without the harness's prefix. */
export function reasonOf(text: string): string {
  return text.replace(/^Error: /, '').trim()
}

/** Where a question ended. `named`: this log's build writes `error` into receipts, so its absence tells. */
export function gateOf(question: QuestionCall, session: Session, named: boolean): GateVerdict {
  const { outcome, settledTime, askedTime, dispatch } = question
  // A denial comes at once: what stood open when the log or the process stopped was being waited for.
  if (outcome.kind === 'open') return { gate: 'service', certainty: 'likely' }
  if (outcome.kind !== 'failed') return { gate: 'service', certainty: 'proven' }
  if (STRUCTURED_RUN_OVER.test(reasonOf(outcome.text))) return { gate: 'policy', certainty: 'proven' }
  const policy = hasOtherDenier(question, session)
  const { gate } = readRefusal(outcome, (settledTime ?? askedTime) - askedTime, policy)
  if (gate.code === 'denial') return policy ? { gate: 'policy', certainty: 'likely' } : { gate: 'guard', certainty: dispatch === null || named ? 'proven' : 'likely' }
  if (gate.code === 'provider-error') return { gate: 'unclear', certainty: 'possible' }
  if (gate.layer === 'policy') return { gate: 'policy', certainty: 'proven' }
  return { gate: gate.layer === 'tool' || gate.code === 'UNKNOWN_TOOL' || gate.code === 'ABORTED_BEFORE_DISPATCH' ? 'harness' : 'service', certainty: 'proven' }
}

/** Builds up to 0.1.5 never write `error` into a receipt. */
export function receiptsNameErrors({ calls }: Session): boolean {
  return calls.some((c) => c.dispatches.some((d) => d.receipt !== null && d.receipt.error !== null))
}

/** A hook or an approval that spoke about this call. Hooks carry no call id: they are told by their place in the log. */
export function hasOtherDenier({ call, dispatch, askedSeq, settledSeq }: QuestionCall, { approvals, hooks }: Session): boolean {
  const until = settledSeq ?? Infinity
  return between(approvals, (a) => a.askedSeq, askedSeq, until).some((a) => (a.callId === null || a.callId === call.callId || a.callId === dispatch?.subCallId))
    || between(hooks, (h) => h.invokedSeq, askedSeq, until).some((h) => h.result === null || /^(?:deny|block|reject|ask)/i.test(h.result.decision))
}

/** The tool never took the arguments, so nothing about them was asked. */
export function hadBadArguments({ outcome }: QuestionCall): boolean {
  return outcome.kind === 'failed' && (outcome.error?.code === 'INVALID_ARGS' || reasonOf(outcome.text).startsWith('invalid arguments: '))
}
