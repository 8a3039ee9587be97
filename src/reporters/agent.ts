/** For a language model: one line per thing to know, texts from the log always inside a JSON string. */
import { breaches } from '../report/check.ts'
import type { Finding, Report, SessionReport } from '../report/schema.ts'
import { cleanJson, cleaned } from './clean.ts'
import { oneLine } from './format.ts'

export function agent(raw: Report): string {
  const report = cleaned(raw)
  return [
    `${report.summary.verdict}: ${report.summary.sessions} sessions, ${report.summary.findings.error} errors, ${report.summary.findings.warning} warnings, ${report.summary.findings.info} notes`,
    ...report.failures.map((f) => `not-analysed ${f.code} ${quote(f.source)} ${quote(f.text)}`),
    ...breaches(report).map((b) => `broken ${b.kind} ${b.source === null ? '' : `${quote(b.source)} `}${quote(b.text)}`),
    ...report.sessions.flatMap((session) => [
      `session ${quote(session.source)} ${session.verdict}`,
      ...findingLines(session),
    ]),
  ].map((line) => `${line}\n`).join('')
}

function findingLines({ findings, incidents }: SessionReport): string[] {
  const partOf = new Map(incidents.flatMap((i, at) => [...i.causes, ...i.effects].map((id) => [id, at + 1] as const)).toReversed())
  return findings.map((f) => findingLine(f, partOf.get(f.id)))
}

function findingLine(finding: Finding, incident: number | undefined): string {
  const { rule, severity, certainty, at, toSeq, text, fix, related } = finding
  const place = [`seq=${at.seq}${toSeq === null ? '' : `..${toSeq}`}`, `line=${at.line}`, ...(at.turn === null ? [] : [`turn=${at.turn}`])]
  return [
    severity, rule, certainty, ...place, ...(incident === undefined ? [] : [`incident=${incident}`]), quote(text),
    ...(related.length > 0 ? [`see=${related.map((r) => r.seq).join(',')}`] : []),
    ...(fix === null ? [] : [`fix=${quote(fix)}`]),
  ].join(' ')
}

function quote(text: string): string {
  return cleanJson(JSON.stringify(oneLine(text)))
}
