/**
 * An answer that its own result did not carry can become visible later: a result reads back what the program stored,
 * or the human says it again. Assistant texts are never evidence: a model may guess.
 */
import type { Call, QuestionCall, Session, Visibility } from '../model/session.ts'
import { standsBecauseOfAnswer, type Answered, type Fate } from './answer-fate.ts'
import { occurrencesIn, standsLiterally } from '../programs/literal.ts'
import type { Certainty, Evidence } from './vocabulary.ts'

export interface Sighting {
  readonly seq: number
  readonly certainty: Certainty
  readonly evidence: Evidence
  readonly visibility: Visibility
}

/** Shorter values stand in any text by chance. */
const DISTINCT = 3
/** Up to this length they are often common words ("yes", "both", "main"). */
const COMMON = 5

/** The first later row that shows a value because of the answer; null: none. */
export function lateSighting(session: Session, call: QuestionCall, fate: Fate, answered: Answered): Sighting | null {
  const said = saidAgain(session, call, answered)
  const read = fate.leaves || fate.state === 'truncated' ? readBack(session, call, answered) : null
  return said && read ? (said.seq < read.seq ? said : read) : (said ?? read)
}

/** The human repeats a value in a message. */
function saidAgain(session: Session, call: QuestionCall, answered: Answered): Sighting | null {
  const after = call.settledSeq ?? call.askedSeq
  for (const m of session.messages) {
    if (m.seq <= after || m.source.kind !== 'user' || !m.appended) continue
    const text = m.text.value
    // With one other label, naming both is a correction ("A, not B"); with more it is a list of them.
    const rivals = answered.rivals.length > 1 ? answered.rivals : []
    const stands = standsBecauseOfAnswer(occurrencesIn(text), { ...answered, rivals })
    const value = answered.values.find((v, i) => stands[i] === true && (v.length >= DISTINCT || text.trim() === v || quoted(text, v)))
    if (value !== undefined) {
      return { seq: m.seq, certainty: value.length > COMMON || text.trim() === value ? 'likely' : 'possible', visibility: m.visibility, evidence: { kind: 'literal', text: 'the human says it again in a message' } }
    }
  }
  return null
}

function quoted(text: string, value: string): boolean {
  return ['"', "'", '`', '“', '„', '»', '「'].some((q) => text.includes(`${q}${value}`))
}

/** A later result shows a value that its own call did not bring along and that no result showed before. */
function readBack(session: Session, call: QuestionCall, answered: Answered): Sighting | null {
  const after = call.call.result?.seq ?? call.settledSeq ?? call.askedSeq
  const known = session.calls.filter((c) => c.result !== null && c.result.seq < call.askedSeq)
  const fresh = answered.values.filter((v) => v.length >= DISTINCT && !known.some((c) => occurrencesIn(c.result?.text.value ?? '').count(v) > 0))
  if (fresh.length === 0) return null
  for (const c of session.calls) {
    const { result } = c
    if (!result || result.seq <= after || c.callId === call.call.callId || result.synthetic !== null) continue
    const stands = standsBecauseOfAnswer(occurrencesIn(result.text.value), answered)
    const value = answered.values.find((v, i) => stands[i] === true && fresh.includes(v) && !brought(c, v) && !askedAgain(session, c, v))
    const visibility = result.versions[0]
    if (value !== undefined && visibility) {
      return { seq: result.seq, certainty: 'likely', visibility, evidence: { kind: 'literal', text: 'a later result shows it, stored by the program before' } }
    }
  }
  return null
}

function brought(c: Call, value: string): boolean {
  return standsLiterally(c.program ? c.program.code.value : c.arguments.value, value)
}

function askedAgain(session: Session, c: Call, value: string): boolean {
  return session.questions.some((q) => q.call === c && q.outcome.kind === 'answered'
    && q.outcome.answers.some((a) => a.custom === value || a.selected.includes(value)))
}
