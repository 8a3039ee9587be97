/** Why a question item got no answer, in the words of the README, and what really ended an aborted wait. */
import { between, lastUpTo } from '../model/ascending.ts'
import type { QuestionCall, Session, Turn } from '../model/session.ts'
import { hasOtherDenier } from './denials.ts'
import { readRun } from './run-outcome.ts'
import { readRefusal, type Refusal, type UnansweredReason } from './service-codes.ts'
import type { Certainty, Evidence } from './vocabulary.ts'

export type AbortCause = 'deadline' | 'user-typed' | 'turn-cancelled' | 'provider-gone' | 'unknown'

export interface Unanswered {
  readonly reason: UnansweredReason
  readonly cause: AbortCause | null
  readonly certainty: Certainty
  readonly evidence: Evidence
}

function turnOf(session: Session, call: QuestionCall): Turn | null {
  const turn = lastUpTo(session.turns, (t) => t.startSeq, call.askedSeq)
  return turn && (turn.end === null || turn.end.seq >= call.askedSeq) ? turn : null
}

/** Another process went on with the session. */
export function restartedAfter({ endSeeds }: Session, seq: number): boolean {
  return (endSeeds.findLast((s) => !s.inherited)?.seq ?? -1) > seq
}

/** Which gate refused a failed question call; null when the call did not fail. */
export function refusalOf(session: Session, call: QuestionCall): Refusal | null {
  const { outcome, askedTime, settledTime } = call
  if (outcome.kind !== 'failed') return null
  return readRefusal(outcome, (settledTime ?? askedTime) - askedTime, hasOtherDenier(call, session))
}

export function whyUnanswered(session: Session, call: QuestionCall): Unanswered {
  const { outcome } = call
  if (outcome.kind === 'open') return openQuestion(session, call)
  if (outcome.kind === 'window-over') {
    return { reason: 'pending', cause: null, certainty: 'proven', evidence: { kind: 'code', text: 'the window of the timed question closed; it was still open' } }
  }
  const refusal = refusalOf(session, call)
  if (outcome.kind !== 'failed' || !refusal) {
    return { reason: 'service-error', cause: null, certainty: 'possible', evidence: { kind: 'code', text: 'the call succeeded, but its text is no answer' } }
  }
  const { gate, known } = refusal
  const evidence: Evidence = { kind: 'code', text: `${gate.code}: ${gate.means}` }
  if (gate.reason === 'aborted') return { ...abortedWait(session, call, gate.code), evidence }
  return { reason: gate.reason, cause: gate.reason === 'timeout' ? 'deadline' : null, certainty: known ? 'proven' : 'likely', evidence }
}

function fixed(reason: UnansweredReason, text: string, cause: AbortCause | null = null): Unanswered {
  return { reason, cause, certainty: 'proven', evidence: { kind: 'fixed-point', text } }
}

/** The question never settled: the log ends while it is open, the process died, or the run ended without it. */
function openQuestion(session: Session, call: QuestionCall): Unanswered {
  const { result, dispatches } = call.call
  if (result && result.synthetic === null) {
    const failure = call.dispatch ? readRun(result).failure : null
    if (failure === 'timeout') return fixed('timeout', 'the run reached its time limit while the question was open', 'deadline')
    if (failure === 'abort') return fixed('aborted', 'the run was aborted while the question was open', cancelCause(session, call))
    return fixed('run-over', `the run ended with ${dispatches.filter((d) => d.receipt === null).length} nested calls open`)
  }
  const repaired = result !== null || restartedAfter(session, call.askedSeq) || turnOf(session, call)?.end?.reason.kind === 'interrupted'
  return repaired ? fixed('interrupted', 'the process ended while the question was open') : fixed('pending', 'the log ends while the question is open')
}

/** An aborted wait: nobody refused. The end of the run around it, or of the turn, tells what ended it. */
function abortedWait(session: Session, call: QuestionCall, code: string): Omit<Unanswered, 'evidence'> {
  if (code === 'provider-gone') return { reason: 'aborted', cause: 'provider-gone', certainty: 'proven' }
  const cause = cancelCause(session, call)
  const result = call.dispatch && call.call.result?.synthetic === null ? call.call.result : null
  if (result) {
    const { failure } = readRun(result)
    if (failure === 'timeout') return { reason: 'timeout', cause: 'deadline', certainty: 'proven' }
    if (failure !== 'abort' && cause === 'unknown') return { reason: 'run-over', cause: null, certainty: 'likely' }
  }
  return { reason: 'aborted', cause, certainty: cause === 'unknown' ? 'likely' : 'proven' }
}

/** The turn was cancelled during the wait. With a message that the human sent meanwhile, he typed instead of answering. */
function cancelCause(session: Session, call: QuestionCall): AbortCause {
  const turn = turnOf(session, call)
  if (turn?.end?.reason.kind !== 'aborted') return 'unknown'
  const settled = call.settledSeq ?? turn.end.seq
  // The turn went on after the wait: it was cancelled later, for another reason.
  if ((turn.steps.findLast((s) => s.message !== null)?.message?.seq ?? 0) > settled) return 'unknown'
  return between(session.inbox, (m) => m.seq, call.askedSeq, settled).some((m) => m.source.kind === 'user') ? 'user-typed' : 'turn-cancelled'
}
