/**
 * In v0 a reply names every chunk it was put together from, which is most of its row. The list is shortened by its bytes
 * to the runs that it consists of (`[first, last]`, as the harness may write them too) before the row is parsed, where the
 * row is written as the harness writes it: type first, the list and then `surfaceOp` at the end.
 */
import { standsAt } from './stands-at.ts'

const REPLY = Buffer.from('{"type":"assistant/message"')
// Inside a JSON string a quote is escaped, so these bytes can only be a key.
const KEY = Buffer.from(',"sourceEventSeqs":[')
const END = Buffer.from('],"surfaceOp":"append"}')
const COMMA = 0x2c
/** Added to the last byte of a word. */
const ONE_MORE = 0x01000000

/** The text of the row with runs for the list; null when it must be parsed as it is. Not valid JSON when the key is a deeper one. */
export function withRuns(bytes: Buffer, start: number, end: number): string | null {
  const close = end - END.length
  if (!standsAt(bytes, start, REPLY) || !standsAt(bytes, close, END)) return null
  const key = bytes.subarray(start, close).lastIndexOf(KEY)
  if (key === -1) return null
  const open = start + key + KEY.length
  const runs = runsIn(bytes, open, close)
  return runs && `${bytes.toString('utf8', start, open)}${runs.join(',')}${END.toString()}`
}

/** Null: an empty list, or one with anything but integers of up to nine digits. `bytes[close]` is no digit. */
function runsIn(bytes: Buffer, open: number, close: number): string[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const runs: string[] = []
  let first = -1
  let last = -1
  let at = open
  for (;;) {
    const from = at
    let seq = 0
    for (let byte = bytes[at] ?? 0; byte >= 0x30 && byte <= 0x39; byte = bytes[++at] ?? 0) seq = (Math.imul(seq, 10) + byte - 0x30) | 0
    const digits = at - from
    if (digits === 0 || digits > 9 || (digits > 1 && bytes[from] === 0x30)) return null
    if (first === -1) first = seq
    else if (seq !== last + 1) {
      runs.push(`[${first},${last}]`)
      first = seq
    }
    // Mostly the next one is one more: up to a 9, the same text but for its last digit.
    if (digits > 2 && digits < 9) {
      const start = view.getInt32(from, true)
      let end = view.getInt32(at - 4, true)
      for (let left = 9 - (seq % 10); left > 0 && bytes[at] === COMMA; left -= 1) {
        end = (end + ONE_MORE) | 0
        if (view.getInt32(at + 1 + digits - 4, true) !== end || (digits > 4 && view.getInt32(at + 1, true) !== start)) break
        const next = at + 1 + digits
        if (next !== close && bytes[next] !== COMMA) break
        at = next
        seq += 1
      }
    }
    last = seq
    if (at === close) break
    if (bytes[at] !== COMMA) return null
    at += 1
  }
  runs.push(`[${first},${last}]`)
  return runs
}
