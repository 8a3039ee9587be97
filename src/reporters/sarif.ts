/** SARIF 2.1.0, for code scanning. */
import { pathToFileURL } from 'node:url'
import { breaches, type Breach } from '../report/check.ts'
import type { Finding, Report, SessionReport, Severity } from '../report/schema.ts'
import { cleanJson, cleaned } from './clean.ts'
import { fileOf, lineOf, rowOf } from './places.ts'

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }

const BREACHES: Readonly<Record<Breach['kind'], string>> = {
  limit: 'More findings of a rule than the configuration allows.',
  assertion: 'The run is not as the configuration demands.',
  'stale-baseline': 'The baseline accepts something that no longer occurs.',
}

export function sarif(raw: Report): string {
  const report = cleaned(raw)
  const broken = breaches(report)
  const kinds = new Set<string>(broken.map((b) => b.kind))
  const rules = [
    ...report.rules.map((rule) => descriptor(rule.id, rule.what, rule.severity, { help: { text: rule.fix }, properties: { tags: [rule.family] } })),
    ...Object.entries(BREACHES).filter(([id]) => kinds.has(id)).map(([id, what]) => descriptor(id, what, 'error', { help: { text: what } })),
  ]
  const index = new Map(rules.map(({ id }, i) => [id, i]))
  const results = [
    ...report.sessions.flatMap((session) => [
      ...session.findings.map((finding) => result(session, finding)),
      ...session.accepted.map((finding) => ({ ...result(session, finding), suppressions: [{ kind: 'external', justification: finding.reason }] })),
    ]),
    ...broken.map(({ kind, source, text }) => ({ ruleId: kind, level: 'error', message: { text: literal(text) }, ...(source !== null && { locations: [physical(source, null)] }) })),
  ]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: report.tool.name, version: report.tool.version, semanticVersion: report.tool.version, rules } },
      columnKind: 'utf16CodeUnits',
      invocations: [{
        executionSuccessful: report.failures.length === 0,
        toolExecutionNotifications: report.failures.map(({ source, code, text, rule }) => ({
          level: 'error',
          descriptor: { id: code },
          ...(rule !== null && index.has(rule) && { associatedRule: { id: rule } }),
          message: { text: literal(`${source}: ${text}`) },
        })),
      }],
      results: results.map((r) => ({ ...r, ruleIndex: index.get(r.ruleId) ?? -1 })),
    }],
  }
  return `${cleanJson(JSON.stringify(log, null, 2))}\n`
}

function descriptor(id: string, what: string, severity: Severity, more: object) {
  // GitHub wants both descriptions.
  return { id, name: pascalCase(id), shortDescription: { text: literal(what) }, fullDescription: { text: literal(what) }, defaultConfiguration: { level: LEVELS[severity] }, ...more }
}

function result(session: SessionReport, finding: Finding) {
  const { rule, severity, certainty, text, fix, related, fingerprint } = finding
  return {
    ruleId: rule,
    level: LEVELS[severity],
    message: { text: literal(fix === null ? text : `${text} What to do: ${fix}`) },
    locations: [{ ...physical(session.source, lineOf(session, finding)), logicalLocations: [{ name: rowOf(finding), fullyQualifiedName: `${session.id}/${rowOf(finding)}`, kind: 'event' }] }],
    ...(related.length > 0 && {
      relatedLocations: related.map(({ seq, why }, id) => ({ id, message: { text: literal(why) }, logicalLocations: [{ name: `seq ${seq}`, fullyQualifiedName: `${session.id}/seq ${seq}`, kind: 'event' }] })),
    }),
    // The name that GitHub matches alerts by; without it the uploader would hash the row, which has times and ids in it.
    partialFingerprints: { primaryLocationLineHash: fingerprint },
    properties: { certainty },
  }
}

function physical(source: string, line: number | null) {
  const file = fileOf(source)
  return file === null ? {} : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...(line !== null && { region: { startLine: line } }) } }
}

function uriOf(file: string): string {
  return file.startsWith('/') ? pathToFileURL(file).href : file.split('/').map(encodeURIComponent).join('/')
}

/** Message strings know `[text](link)` and `{0}`; neither is meant. */
function literal(text: string): string {
  return text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}')
}

function pascalCase(id: string): string {
  return id.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
