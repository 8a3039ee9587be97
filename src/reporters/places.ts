/** Where a finding stands, for programs that show it beside the file. */
import type { Finding, SessionReport } from '../report/schema.ts'

/** The file on disk; null for a stream. Of a log inside an archive, the archive. */
export function fileOf(source: string): string | null {
  if (source === '-' || source === '') return null
  const [archive] = /^.*?\.zip(?=$|[^\w.-])/is.exec(source) ?? []
  return (archive ?? source).replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}

/** The finding's line in that file; null when the file is compressed, an archive or a stream. */
export function lineOf(session: SessionReport, { at }: Finding): number | null {
  return /\.jsonl$/i.test(session.source) && fileOf(session.source)?.endsWith('.zip') === false ? at.line : null
}

/** `seq 12, turn 3, step 4`: the place in the log's own numbers. */
export function rowOf({ at, toSeq }: Finding): string {
  const rows = toSeq === null || toSeq === at.seq ? `seq ${at.seq}` : `seq ${at.seq}–${toSeq}`
  return [rows, ...(at.turn === null ? [] : [`turn ${at.turn}`]), ...(at.step === null ? [] : [`step ${at.step}`])].join(', ')
}
