import type { EventSink } from './event.ts'
import { decodeLog, MAX_ROW_BYTES } from './decode.ts'
import { IssueLog } from './issues.ts'
import { LineSplitter } from './lines.ts'
import { decodeText } from './text.ts'

/** A row as it stands in the log. `text` is cut after `maxChars`; `chars` is its whole length. */
export interface RawRow {
  readonly seq: number
  readonly line: number
  readonly text: string
  readonly chars: number
}

/**
 * The rows with these seqs, in log order, by reading the log twice: once to learn the lines, once to fetch them.
 * Rows inside packed chunk rows have no line of their own and are left out. Throws InputError as `decodeLog` does.
 */
export async function readRawRows(open: () => AsyncIterable<Uint8Array>, file: string, seqs: ReadonlySet<number>, maxChars: number): Promise<RawRow[]> {
  const lines = new Map<number, number>()
  const finder: EventSink = { header() {}, issue() {}, event: (e) => void (seqs.has(e.seq) && e.type !== 'stream' && lines.set(e.line, e.seq)) }
  await decodeLog(open(), file, finder)
  const rows: RawRow[] = []
  let line = 0
  const splitter = new LineSplitter(MAX_ROW_BYTES, (bytes, start, end) => {
    const seq = lines.get(++line)
    if (seq === undefined) return
    const text = bytes.toString('utf8', start, end)
    rows.push({ seq, line, text: text.slice(0, maxChars), chars: text.length })
  }, () => void (line += 1))
  for await (const chunk of decodeText(open(), file, new IssueLog(file, () => {}))) splitter.push(chunk)
  return rows
}
