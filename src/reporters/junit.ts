/** JUnit XML: one suite per session, one case per rule that was checked. */
import { breaches, fails, type Breach } from '../report/check.ts'
import type { Finding, Report, SessionReport } from '../report/schema.ts'
import { cleaned } from './clean.ts'
import { oneLine } from './format.ts'
import { rowOf } from './places.ts'

interface Case {
  readonly name: string
  /** Ready-made XML. */
  readonly body: string
}

export function junit(raw: Report): string {
  const report = cleaned(raw)
  const broken = breaches(report)
  const suites = [
    ...report.sessions.map((session) => suite(session.source, [
      ...session.checked.map((rule) => ({ name: rule, body: ruleBody(session, rule, report) })),
      ...broken.filter((b) => b.source === session.source).map(breachCase),
    ], timing(session))),
    ...optional('inquest check', broken.filter((b) => !report.sessions.some((s) => s.source === b.source)).map(breachCase)),
    ...optional('not analysed', report.failures.map((f) => ({ name: f.rule === null ? f.source : `${f.source}: ${f.rule}`, body: element('error', f.code, f.text) }))),
  ]
  const xml = suites.join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="inquest"${tally(xml)}>\n${xml}</testsuites>\n`
}

function ruleBody(session: SessionReport, rule: string, { check }: Report): string {
  const found = session.findings.filter((f) => f.rule === rule)
  const failing = found.filter((f) => fails(f, check))
  const skipped = session.notEvaluated.find((n) => n.rule === rule)
  const notes = found.filter((f) => !fails(f, check))
  const [first] = failing
  if (first !== undefined) {
    const message = failing.length === 1 ? first.text : `${failing.length} findings: ${first.text}`
    return element('failure', rule, failing.map(story).join('\n\n'), message) + (notes.length > 0 ? output(notes) : '')
  }
  if (notes.length > 0) return output(notes)
  return skipped === undefined ? '' : `<skipped message="${attribute(skipped.because)}"/>`
}

function story(finding: Finding): string {
  return [
    finding.text,
    `${rowOf(finding)}, line ${finding.at.line}; ${finding.severity}, ${finding.certainty}`,
    ...finding.related.map(({ seq, why }) => `seq ${seq}: ${why}`),
    ...(finding.fix === null ? [] : [`What to do: ${finding.fix}`]),
  ].join('\n')
}

function breachCase({ kind, text }: Breach): Case {
  return { name: `${kind}: ${text}`, body: element('failure', kind, text) }
}

function output(findings: readonly Finding[]): string {
  return `<system-out>${content(findings.map(story).join('\n\n'))}</system-out>`
}

function element(tag: string, type: string, text: string, message: string = text): string {
  return `<${tag} type="${attribute(type)}" message="${attribute(message)}">${content(text)}</${tag}>`
}

function optional(name: string, cases: readonly Case[]): string[] {
  return cases.length === 0 ? [] : [suite(name, cases, '')]
}

function suite(name: string, cases: readonly Case[], more: string): string {
  const xml = cases.map((c) => `    <testcase classname="${attribute(name)}" name="${attribute(c.name)}"${c.body === '' ? '/>' : `>${c.body}</testcase>`}\n`).join('')
  return `  <testsuite name="${attribute(name)}"${tally(xml)}${more}>\n${xml}  </testsuite>\n`
}

/** Markup cannot stand in escaped text, so the elements can be counted in the XML itself. */
function tally(xml: string): string {
  const count = (tag: string) => xml.split(`<${tag} `).length - 1
  return ` tests="${count('testcase')}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
}

function timing({ span: { startedAt, endedAt } }: SessionReport): string {
  // Beyond this there is no date.
  if (startedAt === null || Math.abs(startedAt) > 8.64e15) return ''
  return ` timestamp="${new Date(startedAt).toISOString().slice(0, 19)}"${endedAt === null ? '' : ` time="${Math.max(0, endedAt - startedAt) / 1000}"`}`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function content(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd').replace(/[&<>"]/g, (c) => ENTITIES[c] ?? c)
}

function attribute(text: string): string {
  return content(oneLine(text))
}
