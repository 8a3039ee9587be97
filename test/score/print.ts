import type { Group, Score } from './score.ts'
import type { Ratio, Tally } from './tally.ts'

const DETAILS = { answers: 'reasons', rounds: 'kinds of idle rounds', rules: null } as const

/** Tables in Markdown. */
export function print({ cases, groups, forbidden, misjudged }: Score, list: boolean): string {
  return [
    `${cases.of} cases, ${cases.right} of them without any difference`,
    ...groups.map(section),
    `Findings that must not be: ${forbidden.length === 0 ? 'none' : bullets(forbidden)}`,
    ...(list ? [`Misjudged: ${misjudged.length === 0 ? 'none' : bullets(misjudged.map(({ name, note, problems }) => `${name}: ${note}${bullets(problems, '  ')}`))}`] : []),
  ].join('\n\n')
}

function section({ name, cases, overall, meanOverCases, details, tallies }: Group): string {
  const rows = [...tallies, overall].map(row)
  const all = [['', 'expected', 'reported', 'precision', 'recall', 'right row'], ...rows]
  const widths = all[0]?.map((_, i) => Math.max(3, ...all.map((cells) => cells[i]?.length ?? 0))) ?? []
  const line = (cells: readonly string[]): string => `| ${cells.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = all
  return [
    `${name} of ${cases} cases${DETAILS[name] === null ? '' : `; mean over cases ${percent(meanOverCases)}; ${DETAILS[name]} right ${details.right} of ${details.of}`}`,
    '', line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line),
  ].join('\n')
}

function row({ name, precision, recall, place }: Tally): string[] {
  return [name, String(recall.of), String(precision.of), cell(precision), cell(recall), cell(place)]
}

/** `97.4 % (95.1–98.6)`: the share and its 95 % interval. */
function cell({ share, low, high }: Ratio): string {
  return share === null || low === null || high === null ? '–' : `${percent(share)} (${points(low)}–${points(high)})`
}

function percent(share: number): string {
  return `${points(share)} %`
}

function points(share: number): string {
  return (100 * share).toFixed(1)
}

function bullets(items: readonly string[], indent = ''): string {
  return items.map((item) => `\n${indent}- ${item}`).join('')
}
