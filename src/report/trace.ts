/** The way of one answer through the layers, row by row. Plain data, for `inquest trace` and the library. */
import type { AnswerFact } from '../facts/answers.ts'
import type { RoundFact } from '../facts/rounds.ts'
import { programCode, versionsOf, type Session } from '../model/session.ts'
import { answerReport } from './assemble.ts'
import type { AnswerReport } from './schema.ts'

export interface Trace {
  readonly source: string
  readonly sessionId: string
  readonly answer: AnswerReport
  /** What stands in the receipt and in the outer result, cut to the first characters. */
  readonly texts: { readonly receipt: string | null; readonly outer: string | null }
  readonly rows: readonly TraceRow[]
  /** Null: a native call, or the log does not hold the whole program. */
  readonly program: { readonly lines: readonly { readonly number: number; readonly text: string; readonly mark: string | null }[] } | null
  /** What the goal did afterwards; null outside of goals. */
  readonly after: { readonly goalId: string; readonly rounds: number; readonly idle: number } | null
}

export interface TraceRow {
  readonly layer: 'call' | 'asked' | 'receipt' | 'outer' | 'surface' | 'heard'
  readonly seq: number
  readonly time: number | null
  /** What this row means for the answer. */
  readonly note: string
  /** The row as it stands in the log, maybe cut; null: not a row of its own. */
  readonly raw: string | null
  readonly line: number | null
  /** Characters of the whole row. */
  readonly chars: number | null
}

const TEXT_CHARS = 4096

/** Answers that `what` names: a question id, a call or sub call id, or a seq between asking and the outer result. */
export function matchAnswers(answers: readonly AnswerFact[], what: string): AnswerFact[] {
  const byQuestion = answers.filter((a) => a.question.id === what)
  if (byQuestion.length > 0) return byQuestion
  const byCall = answers.filter((a) => a.call.call.callId === what || a.call.dispatch?.subCallId === what)
  if (byCall.length > 0 || !/^\d+$/.test(what)) return byCall
  const seq = Number(what)
  return answers.filter((a) => seq >= a.call.call.seq && seq <= Math.max(a.layers.outer.seq ?? 0, a.call.settledSeq ?? a.call.askedSeq))
}

/** Everything but the raw rows, which are fetched by seq afterwards. */
export function traceOf(session: Session, answer: AnswerFact, rounds: readonly RoundFact[]): Trace {
  const { call } = answer.call
  const rows: TraceRow[] = []
  const add = (layer: TraceRow['layer'], seq: number | null, time: number | null, note: string): void => {
    if (seq !== null) rows.push({ layer, seq, time, note, raw: null, line: null, chars: null })
  }
  const report = answerReport(answer)
  if (answer.call.dispatch) add('call', call.seq, call.time, 'the model calls run_code')
  add('asked', answer.call.askedSeq, answer.call.askedTime, answer.call.dispatch ? 'the program asks the human' : 'the model asks the human')
  add(answer.call.dispatch ? 'receipt' : 'outer', answer.call.settledSeq, answer.call.settledTime, answer.layers.receipt.has ? 'the answer arrives' : 'no answer')
  if (answer.call.dispatch && call.result) add('outer', call.result.seq, call.result.time, answer.layers.outer.has ? 'what the model got: the answer is in it' : 'what the model got: the answer is not in it')
  for (const version of call.result ? versionsOf(call.result) : []) {
    if (version.from !== call.result?.seq) add('surface', version.from, null, 'a shortened copy takes the place of the result')
    if (version.to !== null && version.hiddenBy !== 'prune') add('surface', version.to, null, `the result leaves the model's view (${version.hiddenBy ?? 'replaced'})`)
  }
  if (answer.deliveredSeq !== null && !rows.some((r) => r.seq === answer.deliveredSeq)) add('heard', answer.deliveredSeq, null, 'the answer becomes visible to the model here')
  const goalId = answer.call.round?.goalId
  const later = rounds.filter((r) => r.round.goalId === goalId && r.round.fromSeq > answer.call.askedSeq)
  return {
    source: session.source, sessionId: session.header.id, answer: report,
    texts: {
      receipt: answer.call.dispatch?.receipt?.text.value.slice(0, TEXT_CHARS) ?? null,
      outer: call.result?.text.value.slice(0, TEXT_CHARS) ?? null,
    },
    rows: rows.toSorted((a, b) => a.seq - b.seq),
    program: programOf(answer),
    after: goalId === undefined ? null : { goalId, rounds: later.length, idle: later.filter((r) => r.state === 'idle').length },
  }
}

function programOf({ call: { call, dispatch }, verdict, fix }: AnswerFact): Trace['program'] {
  const code = programCode(call)
  if (!dispatch || code === null) return null
  const marks = new Map<number, string>()
  const mark = (line: number | undefined, text: string): void => {
    if (line !== undefined) marks.set(line, marks.has(line) ? `${marks.get(line)}; ${text}` : text)
  }
  mark(verdict?.flow?.site?.line, verdict?.flow?.floating === true ? 'asks here, and never awaits' : 'asks here')
  const uses = new Map([...(verdict?.flow?.selected.calls ?? []), ...(verdict?.flow?.custom.calls ?? [])].map((c) => [`${c.line} ${c.tool} ${c.how}`, c]))
  for (const { line, tool, how } of uses.values()) mark(line, how === 'value' ? `the answer may go into ${tool}` : `the answer may decide about ${tool}`)
  if (fix) mark(fix.line, 'change this')
  return { lines: code.split('\n').map((text, i) => ({ number: i + 1, text, mark: marks.get(i + 1) ?? null })) }
}
