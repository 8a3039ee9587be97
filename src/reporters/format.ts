/** Quantities and texts in words, the same in every output. */
import stringWidth from 'string-width'

/** ms → `850 ms`, `1.2 s`, `8 min 31 s`, `1 h 12 min`, `2 d 3 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return two(minutes, 'min', seconds % 60, 's')
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min')
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}

/** `512 B`, `1.4 MB`: powers of 1000. */
export function bytes(n: number): string {
  return scaled(n, ['B', 'kB', 'MB', 'GB', 'TB'], ' ')
}

/** `950`, `12.3k`, `1.2M`. */
export function tokens(n: number): string {
  return scaled(n, ['', 'k', 'M', 'G'], '')
}

function scaled(n: number, units: readonly string[], gap: string): string {
  // 999.95 and more would be rounded to "1000.0".
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(n, 1) * 1.00005) / 3)))
  const value = power === 0 ? String(Math.round(n)) : (n / 1000 ** power).toFixed(1).replace(/\.0$/, '')
  return `${value}${gap}${units[power]}`
}

/** `1 answer`, `2 answers`. */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** Whitespace of all kinds becomes one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** More code units than a column ever takes: of a longer text only so much is measured, since finding graphemes is slow. */
const UNITS_PER_COLUMN = 32

/** At most `width` terminal columns; a cut text ends in `…`. */
export function cut(text: string, width: number): string {
  const near = text.slice(0, width * UNITS_PER_COLUMN)
  if (near.length === text.length && stringWidth(text) <= width) return text
  return `${head(segmentsOf(near), width - 1).join('')}…`
}

/** Cut at the front, for paths: their ends tell them apart. */
export function cutStart(text: string, width: number): string {
  const near = text.slice(-width * UNITS_PER_COLUMN)
  if (near.length === text.length && stringWidth(text) <= width) return text
  return `…${head(segmentsOf(near).toReversed(), width - 1).toReversed().join('')}`
}

function segmentsOf(text: string): string[] {
  return Array.from(graphemes.segment(text), (g) => g.segment)
}

function head(segments: readonly string[], width: number): readonly string[] {
  let used = 0
  const end = segments.findIndex((segment) => (used += stringWidth(segment)) > width)
  return end === -1 ? segments : segments.slice(0, end)
}

/** Lines of at most `columns` terminal columns, broken between words where they can be; `trim` leaves out the spaces around breaks. */
export function wrap(text: string, columns: number, trim = true): string[] {
  return text.normalize().split('\n').flatMap((line) => wrapLine(line, columns, trim))
}

function wrapLine(line: string, columns: number, trim: boolean): string[] {
  const rows: string[] = []
  let row = ''
  let used = 0
  const close = (): void => {
    rows.push(trim ? row.trim() : row)
    row = ''
    used = 0
  }
  const put = (text: string, width: number, mayBreak = true): void => {
    if (mayBreak && used > 0 && width > 0 && used + width > columns) close()
    row += text
    used += width
  }
  for (const [i, word] of line.split(' ').entries()) {
    if (i > 0 && (used > 0 || !trim)) put(' ', 1, !trim)
    const width = stringWidth(word)
    if (width <= columns) put(word, width)
    else {
      // A word that must be split begins on a row of its own where that saves a row.
      if (Math.floor((width - 1) / columns) < Math.floor((used + width - 1) / columns)) close()
      for (const segment of segmentsOf(word)) put(segment, stringWidth(segment))
    }
  }
  close()
  return rows
}

/** Padded to `width` terminal columns, never cut. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)))
}

/** The part of a session id that people can tell apart: `session-e311575b`. */
export function shortId(id: string): string {
  return cut(id.replace(/^(session-[0-9a-f]{8})-[0-9a-f-]+$/, '$1'), 24)
}
