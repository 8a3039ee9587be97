import { InputError } from '../errors.ts'
import type { EventSink } from './event.ts'
import { readHeader } from './header.ts'
import { IssueLog } from './issues.ts'
import { LineSplitter } from './lines.ts'
import { RowDecoder } from './rows.ts'
import { decodeText } from './text.ts'

/** A row longer than this is skipped. The largest legitimate one holds a 64 MiB program output, escaped. */
export const MAX_ROW_BYTES = 256 * 1024 * 1024

/**
 * Reads one log from its first byte and feeds `sink`. Trouble inside the log becomes issues.
 * Throws `InputError` when there is no log to read: empty, another tool's, a later format. `isLive`: the bytes come as they
 * are written, and nothing may wait for the next ones.
 */
export async function decodeLog(bytes: AsyncIterable<Uint8Array>, file: string, sink: EventSink, isLive = false): Promise<void> {
  const issues = new IssueLog(file, (issue) => sink.issue(issue))
  let line = 0
  let rows: RowDecoder | null = null
  const splitter = new LineSplitter(
    MAX_ROW_BYTES,
    (row, start, end) => {
      line += 1
      if (rows) {
        rows.row(row, start, end, line)
        return
      }
      const { header, problems, firstSeq } = readHeader(row.toString('utf8', start, end), file)
      sink.header(header)
      for (const problem of problems) issues.add('malformed-header', { line }, problem, 'refuse')
      rows = new RowDecoder(header.version, firstSeq, sink, issues)
    },
    (size) => {
      line += 1
      issues.broken('long-row', { line }, `This row has ${size} bytes; rows over ${MAX_ROW_BYTES} bytes are not read.`)
    },
    (chunk, start, limit) => {
      const end = rows?.chunk(chunk, start, limit, line + 1) ?? -1
      if (end !== -1) line += 1
      return end
    },
  )
  for await (const chunk of decodeText(bytes, file, issues, isLive)) splitter.push(chunk)
  finish(rows)
  if (splitter.rest > 0 && !issues.has('torn-frame')) issues.add('torn-line', { line: line + 1 }, `The last line stops after ${splitter.rest} bytes without a line break; it is not read.`, 'drop-tail')
  issues.finish()

  function finish(decoder: RowDecoder | null): void {
    if (!decoder) throw new InputError(splitter.rest > 0 ? 'not-a-log' : 'empty', file, splitter.rest > 0 ? 'is not a dsh session log: its first line has no end.' : 'is empty.')
    decoder.finish()
  }
}
