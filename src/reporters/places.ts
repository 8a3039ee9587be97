/** Where a finding stands, for programs that show it beside the file. */
import type { Finding, SessionReport } from '../report/schema.ts'

/** The file on disk: of `archive.zip!entry` the archive, of `capture#session-…` the capture; null for a stream. */
export function fileOf(source: string): string | null {
  if (source === '-' || source === '') return null
  const [, archive, capture] = /^(.*?\.zip)!|^(.*)#session-/is.exec(source) ?? []
  return (archive ?? capture ?? source).replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}

/** The finding's line in that file; null when the file is compressed, an archive, a capture or a stream. */
export function lineOf(session: SessionReport, { at }: Finding): number | null {
  return /\.jsonl$/i.test(session.source) && !session.source.includes('.zip!') ? at.line : null
}

/** `seq 12, turn 3, step 4`: the place in the log's own numbers. */
export function rowOf({ at, toSeq }: Finding): string {
  const rows = toSeq === null || toSeq === at.seq ? `seq ${at.seq}` : `seq ${at.seq}–${toSeq}`
  return [rows, ...(at.turn === null ? [] : [`turn ${at.turn}`]), ...(at.step === null ? [] : [`step ${at.step}`])].join(', ')
}
