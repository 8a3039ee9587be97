/**
 * From format 2 on, model replies carry the raw stream (`data.stream`), many times the size of what it said. Nothing here
 * needs it, so it is cut out before the row is parsed, where the row is written as the harness writes it: type first,
 * `stream` as the last key of the payload.
 */
import { standsAt } from './stands-at.ts'

const REPLY = Buffer.from('{"type":"assistant/')
// Inside a JSON string a quote is escaped, so these bytes can only be a key.
const STREAM = Buffer.from(',"stream":[')
const ENDS = [Buffer.from(']},"surfaceOp":"append"}'), Buffer.from(']}}')]

/** The text of the row with an empty stream; null when it must be parsed as it is. Not valid JSON when the key is a deeper one. */
export function withoutStream(bytes: Buffer, start: number, end: number): string | null {
  if (!standsAt(bytes, start, REPLY)) return null
  const row = bytes.subarray(start, end)
  const at = row.indexOf(STREAM)
  if (at === -1) return null
  const tail = ENDS.find((text) => row.length - text.length >= at + STREAM.length && standsAt(bytes, end - text.length, text))
  return tail ? `${row.toString('utf8', 0, at + STREAM.length)}${tail.toString()}` : null
}
