/** One answer, layer by layer: what the program got, what it did with it, what the model got, and the rows that prove it. */
import { Chalk } from 'chalk'
import type { Trace } from '../../report/trace.ts'
import { cleaned } from '../clean.ts'
import { count, cut, duration, oneLine, pad, wrap } from '../format.ts'
import type { PrintOptions } from '../reporter.ts'
import { inFull, program } from './answers.ts'
import { type Page, paragraph, row, section } from './page.ts'

const COLUMN_LINES = 8
/** Columns of the gutter beside a program's lines. */
const GUTTER = 6

export function traceText(traces: readonly Trace[], options: PrintOptions): string {
  const page: Page = {
    ink: new Chalk({ level: options.color ? 1 : 0 }), width: Math.max(60, Math.min(options.width, 120)), verbose: options.verbosity === 'verbose',
  }
  return traces.map((t) => `${traceLines(cleaned(t), page).join('\n')}\n`).join('\n')
}

function traceLines(trace: Trace, page: Page): string[] {
  return [
    page.ink.dim(cut(`${trace.sessionId}  ${trace.source}`, page.width)),
    ...inFull(trace.answer, page),
    ...section('LAYERS', layers(trace, page), page),
    ...section('PROGRAM', programLines(trace, page), page),
    ...section('ROWS', trace.rows.flatMap((r) => rowLines(r, trace.rows[0]?.time ?? null, page)), page),
    ...section('AFTERWARDS', afterwards(trace, page), page),
  ]
}

/** The three layers side by side. */
function layers({ answer, texts }: Trace, page: Page): string[] {
  const native = answer.subCallId === null
  const columns = [
    { title: native ? 'RESULT' : 'RECEIPT (to the program)', text: texts.receipt ?? (native ? texts.outer : null) ?? 'nothing' },
    ...(native ? [] : [
      { title: 'PROGRAM', text: answer.layers.program === null ? 'could not be judged' : program(answer.layers.program) },
      { title: 'OUTER RESULT (to the model)', text: texts.outer ?? 'none in the log' },
    ]),
  ]
  const width = Math.floor((page.width - 2 - 3 * (columns.length - 1)) / columns.length)
  const wrapped = columns.map(({ title, text }) => [cut(title, width), ...clipped(wrap(text.replaceAll('\t', '  '), width, false), page)])
  const height = Math.max(...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, i) =>
    `  ${wrapped.map((lines) => pad(lines[i] ?? '', width)).map((cell) => (i === 0 ? page.ink.dim(cell) : cell)).join(page.ink.dim(' │ '))}`.trimEnd())
}

function clipped(lines: readonly string[], page: Page): string[] {
  return page.verbose || lines.length <= COLUMN_LINES ? [...lines] : [...lines.slice(0, COLUMN_LINES - 1), `… ${count(lines.length - COLUMN_LINES + 1, 'more line')}`]
}

/** Marked lines with their neighbours; the whole program when verbose. */
function programLines({ program: code }: Trace, page: Page): string[] {
  if (code === null) return []
  const marked = code.lines.filter((l) => l.mark !== null).map((l) => l.number)
  const near = (n: number): boolean => page.verbose || code.lines.length <= 20 || n <= 1 || n === code.lines.length || marked.some((m) => Math.abs(m - n) <= 2)
  const out: string[] = []
  for (const { number, text, mark } of code.lines) {
    if (!near(number)) {
      if (near(number - 1)) out.push(page.ink.dim(`${' '.repeat(GUTTER)}…`))
      continue
    }
    const gutter = `${mark === null ? ' ' : '>'}${String(number).padStart(GUTTER - 3)}  `
    const note = mark === null ? '' : `   ← ${mark}`
    const line = gutter + cut(text.replaceAll('\t', '  '), Math.max(20, page.width - GUTTER - note.length)) + note
    out.push(mark === null ? line : page.ink.yellow(line))
  }
  return out
}

function rowLines(r: Trace['rows'][number], start: number | null, page: Page): string[] {
  const when = r.time === null || start === null ? '' : `  +${duration(Math.max(0, r.time - start))}`
  const head = `  ${page.ink.bold(`seq ${r.seq}`)}${r.line === null ? '' : `  line ${r.line}`}${when}  ${r.layer}: ${r.note}`
  if (r.raw === null) return [head]
  const raw = oneLine(r.raw)
  const whole = r.chars ?? raw.length
  const shown = page.verbose ? raw : raw.slice(0, 3 * (page.width - 6))
  return [head, ...paragraph(whole > shown.length ? `${shown}… (${count(whole, 'character')})` : shown, 4, page).map((l) => page.ink.dim(l))]
}

function afterwards({ answer, after }: Trace, page: Page): string[] {
  const { visibleFrom, visibleTo } = answer.layers.context
  const seen = visibleFrom === null ? 'the model never had it in view' : visibleTo === null ? `in the model's view from seq ${visibleFrom} on` : `in the model's view from seq ${visibleFrom} to ${visibleTo}`
  return [
    ...row('context', seen, 2, page),
    ...(after === null ? [] : row('goal', `${count(after.rounds, 'round')} followed, ${after.idle} of them idle`, 2, page)),
  ]
}
