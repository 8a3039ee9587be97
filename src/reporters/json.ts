import ndjsonStreams from 'ndjson'
import type { Report } from '../report/schema.ts'
import { cleanJson } from './clean.ts'

/** The report itself, as described by `report.schema.json`. */
export function json(report: Report): string {
  return `${cleanJson(JSON.stringify(report, null, 2))}\n`
}

/** One finding per line, each with the id and source of its session. */
export function ndjson(report: Report): string {
  const lines = ndjsonStreams.stringify()
  let text = ''
  for (const { id, source, findings } of report.sessions) {
    for (const finding of findings) {
      lines.write({ session: id, source, ...finding })
      text += String(lines.read())
    }
  }
  return cleanJson(text)
}
