/** What `source/` may know about contents: which sessions some bytes hold. */
import { InputError } from '../errors.ts'
import { capturedSessions, captureLog, isCapture } from './capture.ts'
import { decodeLog, MAX_ROW_BYTES } from './decode.ts'
import { readHeader } from './header.ts'
import { IssueLog } from './issues.ts'
import { LineSplitter } from './lines.ts'
import { decodeText } from './text.ts'

export type { Issue } from './event.ts'

export type Open = () => AsyncIterable<Uint8Array>

/** One session, as its header tells it. */
export interface Head {
  readonly id: string
  readonly version: number
  readonly parent: string | null
  /** The session was cut out of a live capture; there is no such file. */
  readonly captured: boolean
  readonly open: Open
}

/** Sessions in these bytes: one for a log, any number for a capture. Throws `InputError` when they hold none. */
export async function readHeads(open: Open, file: string): Promise<Head[]> {
  const issues = new IssueLog(file, () => {})
  const text = (): AsyncIterable<Uint8Array> => decodeText(open(), file, issues)
  try {
    const first = await firstLine(text(), file)
    if (!isCapture(first)) {
      const { id, version, parentSession } = readHeader(first, file).header
      return [{ id, version, parent: parentSession, captured: false, open }]
    }
  } catch (error) {
    // Without its first frame a log looks like something else.
    if (!issues.has('bad-frame') && !issues.has('bad-checksum')) throw error
    throw new InputError('bad-zstd', file, 'is a zstd file whose first frames are damaged. Copy it again.', { cause: error })
  }
  const sessions = await capturedSessions(text(), MAX_ROW_BYTES)
  if (sessions.length === 0) throw new InputError('no-events', file, 'is a JSON-RPC or stream-json capture without any session events.')
  return sessions.map((session) => ({
    id: session.id,
    version: session.version,
    parent: null,
    captured: true,
    open: () => captureLog(text(), session, MAX_ROW_BYTES),
  }))
}

/** Number of events in a log. */
export async function countEvents(open: Open, file: string): Promise<number> {
  let events = 0
  await decodeLog(open(), file, {
    header() {},
    event: (event) => {
      events = (event.type === 'stream' ? event.lastSeq : event.seq) + 1
    },
    issue() {},
  })
  return events
}

/** Longer first lines are no header; nobody should wait for the end of a file without line breaks. */
const MAX_FIRST_LINE = 16 * 1024 * 1024

async function firstLine(text: AsyncIterable<Uint8Array>, file: string): Promise<string> {
  let line: string | null = null
  let tooLong = false
  const splitter = new LineSplitter(
    MAX_FIRST_LINE,
    (bytes, start, end) => {
      line ??= bytes.toString('utf8', start, end)
    },
    () => {
      tooLong = true
    },
  )
  for await (const chunk of text) {
    splitter.push(chunk)
    if (line !== null) return line
    if (tooLong || splitter.rest > MAX_FIRST_LINE) break
  }
  if (splitter.rest === 0 && !tooLong) throw new InputError('empty', file, 'is empty.')
  throw new InputError('not-a-log', file, 'is not a dsh session log: its first line has no end.')
}
