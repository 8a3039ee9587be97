import { decodeLog } from '../../src/decode/decode.ts'
import type { Header, Issue, LogEvent } from '../../src/decode/event.ts'

export interface Decoded {
  readonly header: Header | null
  readonly events: readonly LogEvent[]
  readonly issues: readonly Issue[]
}

/** What the decoder makes of these bytes, handed over as the given chunks. */
export async function decoded(bytes: string | Uint8Array | readonly Uint8Array[]): Promise<Decoded> {
  let header: Header | null = null
  const events: LogEvent[] = []
  const issues: Issue[] = []
  await decodeLog(chunksOf(bytes), 'a.jsonl', {
    header: (read) => {
      header = read
    },
    event: (event) => events.push(event),
    issue: (issue) => issues.push(issue),
  })
  return { header, events, issues }
}

export async function* chunksOf(bytes: string | Uint8Array | readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  if (typeof bytes === 'string') yield Buffer.from(bytes)
  else if (bytes instanceof Uint8Array) yield bytes
  else yield* bytes
}

export const jsonl = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

/** The header of a log in the given format. */
export const headerRow = (version: number): { readonly [key: string]: unknown } => ({
  type: 'session', version, id: 's-1', createdAt: 1000, cwd: '/srv/proj', delegationDepth: 0, ...(version >= 2 ? { isSeeded: false } : {}),
})
