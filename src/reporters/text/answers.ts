import type { AnswerReport, Fix, SessionReport } from '../../report/schema.ts'
import { cut, duration, oneLine, pad } from '../format.ts'
import { wasHeard } from '../verdict.ts'
import { first, type Page, paragraph, row, section, whereabouts } from './page.ts'

/** Answers told in full before the rest is only counted. */
const FULL = 8
const BRIEF = 12
/** Columns before the state on the first line of an answer. */
const TITLE = 56

/** What did not come through in full, layer by layer; what did, in one line each. */
export function answersSection(session: SessionReport, page: Page): string[] {
  const isBrief = (answer: AnswerReport) => !page.verbose && (wasHeard(answer.state) || answer.state === 'skipped')
  const lines = [
    ...first(session.answers.filter((a) => !isBrief(a)), FULL, (answer) => inFull(answer, page), page),
    ...first(session.answers.filter(isBrief), BRIEF, (answer) => [title(answer, page)], page),
  ]
  return section('ANSWERS', lines, page)
}

function title(answer: AnswerReport, page: Page): string {
  const width = Math.max(20, Math.min(TITLE, page.width - 30))
  const name = cut(oneLine(answer.questionId), 24)
  const question = oneLine(answer.question)
  const label = question === '' ? name : `${name}  "${question}"`
  const state = wasHeard(answer.state) ? page.ink.green(answer.state) : answer.state === 'skipped' ? answer.state : page.ink.red(answer.state)
  return `  ${pad(cut(label, width), width)}  ${state} · ${answer.certainty}`
}

export function inFull(answer: AnswerReport, page: Page): string[] {
  const line = (label: string, text: string) => row(label, text, 4, page)
  const asked = whereabouts(answer)
  return [
    title(answer, page),
    ...line('asked', `seq ${answer.askedSeq}${asked === '' ? '' : `, ${asked}`}`),
    ...(page.verbose && answer.options.length > 0 ? line('offered', answer.options.map(quoted).join(', ')) : []),
    ...line(answer.subCallId === null ? 'result' : 'receipt', receipt(answer)),
    ...(answer.layers.program === null ? [] : line('program', program(answer.layers.program))),
    ...(answer.subCallId === null ? [] : line('outer', outer(answer))),
    ...(answer.layers.context.visibleTo === null ? [] : line('context', context(answer.layers.context))),
    ...(answer.state === 'late' && answer.deliveredSeq !== null ? line('heard', `seq ${answer.deliveredSeq}, late`) : []),
    ...answer.evidence.flatMap((e) => line(e.kind, e.text)),
    ...(answer.fix === null ? [] : fixRows(answer.fix, page)),
  ]
}

function receipt(answer: AnswerReport): string {
  if (answer.settledSeq === null) return `not in the log${because(answer)}`
  const place = `seq ${answer.settledSeq}${answer.waitMs === null ? '' : ` after ${duration(answer.waitMs)}`}`
  if (answer.state === 'unanswered') return `${place}, no answer${because(answer)}`
  const values = answer.values.map((value) => quoted(cut(oneLine(value), 200)))
  return `${place}, ${values.length === 0 ? 'nothing selected' : values.join(', ')}`
}

function because({ reason, cause }: AnswerReport): string {
  if (reason === null) return ''
  return cause === null ? `: ${reason}` : `: ${reason} (${cause})`
}

export function program({ returns, logs }: { readonly returns: boolean | null; readonly logs: boolean | null }): string {
  if (returns === null && logs === null) return 'could not be judged'
  if (returns === true) return logs === true ? 'returns it and logs it' : 'returns it'
  if (logs === true) return 'logs it'
  if (returns === false && logs === false) return 'neither returns nor logs it'
  return returns === false ? 'does not return it' : 'does not log it'
}

function outer(answer: AnswerReport): string {
  const { seq, has } = answer.layers.outer
  if (seq === null) return 'no result in the log'
  return `seq ${seq}, ${has ? 'has it' : `not there${answer.state === 'lost' ? because(answer) : ''}`}`
}

function context({ visibleFrom, visibleTo }: AnswerReport['layers']['context']): string {
  return visibleFrom === null ? `hidden at seq ${visibleTo}` : `visible from seq ${visibleFrom}, hidden at seq ${visibleTo}`
}

function fixRows(fix: Fix, page: Page): string[] {
  const checked = fix.verified === 'replayed' ? 'replayed: it delivers the answer' : 'it parses; not replayed'
  const where = fix.line === null ? '' : `line ${fix.line} of the program, `
  const code = (sign: string, source: string) => paragraph(source.replace(/^/gm, `${sign} `), 4, page)
  return [
    ...row('fix', `${where}${checked}`, 4, page),
    ...code('-', fix.before).map((line) => page.ink.red(line)),
    ...code('+', fix.after).map((line) => page.ink.green(line)),
  ]
}

function quoted(text: string): string {
  return `"${text}"`
}
