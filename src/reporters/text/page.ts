import type { ChalkInstance } from 'chalk'
import type { Finding } from '../../report/schema.ts'
import { pad, wrap } from '../format.ts'

/** What every section needs to know about the page it is written on. */
export interface Page {
  readonly ink: ChalkInstance
  /** Terminal columns. */
  readonly width: number
  readonly verbose: boolean
}

/** Columns of the labels inside a block (`asked`, `receipt`, `fix`, …). */
const LABEL = 13

/** Lines of one text before the rest is left out, unless verbose. */
const LINES = 8

/** The text wrapped and indented; line breaks in it stay. */
export function paragraph(text: string, indent: number, page: Page): string[] {
  const room = Math.max(20, page.width - indent)
  const lines = wrap(text.replaceAll('\t', '  '), room)
  const shown = page.verbose || lines.length <= LINES ? lines : [...lines.slice(0, LINES - 1), '…']
  return shown.map((line) => (' '.repeat(indent) + line).trimEnd())
}

/** `label   text`, the text wrapped beside its label, which takes `columns`. */
export function row(label: string, text: string, indent: number, page: Page, columns = LABEL): string[] {
  const [head = '', ...rest] = paragraph(text, indent + columns, page)
  return [' '.repeat(indent) + page.ink.dim(pad(label, columns)) + head.slice(indent + columns), ...rest]
}

/** A headed block with an empty line before it; nothing at all when it has no lines. */
export function section(title: string, lines: readonly string[], page: Page): string[] {
  return lines.length === 0 ? [] : ['', page.ink.bold(title), ...lines]
}

/** Only the first `limit` items unless verbose, and a line that counts the rest. */
export function first<T>(items: readonly T[], limit: number, print: (item: T) => string[], page: Page): string[] {
  const shown = page.verbose ? items : items.slice(0, limit)
  const left = items.length - shown.length
  return [...shown.flatMap(print), ...(left > 0 ? [page.ink.dim(`  … and ${left} more (--verbose)`)] : [])]
}

/** `turn 1 step 2 round 1`, without what is not known. */
export function whereabouts(at: { readonly turn: number | null; readonly step: number | null; readonly goalRound?: number | null }): string {
  const parts = [['turn', at.turn], ['step', at.step], ['round', at.goalRound ?? null]] as const
  return parts.flatMap(([name, n]) => (n === null ? [] : [`${name} ${n}`])).join(' ')
}

/** `seq 169 (line 170)`, with the last row when the finding spans many. */
export function extent(finding: Finding): string {
  const { at, toSeq } = finding
  return toSeq === null || toSeq === at.seq ? `seq ${at.seq} (line ${at.line})` : `seq ${at.seq}–${toSeq} (line ${at.line})`
}
