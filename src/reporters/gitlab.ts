/** GitLab's Code Quality report: a JSON array of issues. */
import { hash } from 'node:crypto'
import { breaches } from '../report/check.ts'
import type { Report, Severity } from '../report/schema.ts'
import { cleanJson, cleaned } from './clean.ts'
import { oneLine } from './format.ts'
import { fileOf, lineOf, rowOf } from './places.ts'

const SEVERITIES: Readonly<Record<Severity, string>> = { error: 'critical', warning: 'major', info: 'info' }

export function gitlab(raw: Report): string {
  const report = cleaned(raw)
  const issues = [
    ...report.failures.map((f) => issue(f.code, 'blocker', f.text, f.source, 1, [f.rule ?? '', f.text])),
    ...breaches(report).map((b) => issue(b.kind, 'blocker', b.text, b.source ?? '', 1, [b.text])),
    ...report.sessions.flatMap((session) => session.findings.map((f) =>
      issue(f.rule, SEVERITIES[f.severity], `${f.text} (${rowOf(f)}; ${f.certainty})`, session.source, lineOf(session, f) ?? 1, [session.id, f.fingerprint]))),
  ]
  return `${cleanJson(JSON.stringify(issues, null, 2))}\n`
}

/** GitLab wants every fingerprint of a report to differ from the others. */
function issue(check: string, severity: string, text: string, source: string, line: number, identity: readonly string[]) {
  return {
    description: oneLine(text),
    check_name: check,
    fingerprint: hash('sha1', JSON.stringify([check, source, ...identity]), 'hex'),
    severity,
    location: { path: fileOf(source) ?? 'stdin', lines: { begin: line } },
  }
}
