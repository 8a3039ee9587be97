/** Workflow commands of GitHub Actions: one annotation per line, the worst first. */
import { breaches } from '../report/check.ts'
import type { Report, Severity } from '../report/schema.ts'
import { cleaned } from './clean.ts'
import { fileOf, lineOf, rowOf } from './places.ts'

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'notice' }

export function github(raw: Report): string {
  const report = cleaned(raw)
  const findings = report.sessions.flatMap((session) => session.findings.map((finding) => ({ session, finding })))
  return [
    ...report.failures.map((f) => command('error', { file: fileOf(f.source), title: f.code }, f.text)),
    ...breaches(report).map((b) => command('error', { file: b.source === null ? null : fileOf(b.source), title: b.kind }, b.text)),
    ...(['error', 'warning', 'info'] as const).flatMap((severity) => findings.filter((f) => f.finding.severity === severity).map(({ session, finding }) =>
      command(COMMANDS[severity], { file: fileOf(session.source), line: lineOf(session, finding), title: finding.rule },
        `${finding.text} (${rowOf(finding)}; ${finding.certainty})${finding.fix === null ? '' : `\nWhat to do: ${finding.fix}`}`))),
  ].join('')
}

function command(name: string, properties: Readonly<Record<string, string | number | null>>, message: string): string {
  const given = Object.entries(properties).flatMap(([key, value]) => (value === null ? [] : [`${key}=${escapeProperty(String(value))}`]))
  return `::${name} ${given.join(',')}::${escapeData(message)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
