/** What `inquest check` demands of a report, and whether it holds. */
import { severities, type Severity } from '../facts/vocabulary.ts'
import { parseAssertion, type Assertion } from './assertions.ts'
import type { BaselineEntry, Check, Finding, Report } from './schema.ts'

export interface Policy {
  readonly failOn: Severity
  /** Most findings of a rule in the whole run. */
  readonly max: Readonly<Record<string, number>>
  readonly assertions: readonly Assertion[]
  /** Entries of the baseline that accepted nothing fail the check. */
  readonly pruneCheck: boolean
}

/** One line for what failed besides findings. `source` is null when it concerns the whole run. */
export interface Breach {
  readonly kind: 'limit' | 'assertion' | 'stale-baseline'
  readonly source: string | null
  readonly text: string
}

/** The report with its `check`. The parts of a sharded run do not fail for what only the whole can tell. */
export function judge(report: Report, policy: Policy, stale: readonly BaselineEntry[]): Report {
  const check: Check = {
    failOn: policy.failOn,
    pruneCheck: policy.pruneCheck,
    limits: Object.entries(policy.max).map(([rule, max]) => ({ rule, max, found: countOf(report, rule) })),
    assertions: policy.assertions.map((assertion) => measure(report, assertion)),
    stale: [...stale],
    passed: true,
  }
  const judged = { ...report, check }
  const passed = breaches(judged).length === 0 && !report.sessions.some((s) => s.findings.some((f) => fails(f, check)))
  return { ...judged, check: { ...check, passed } }
}

/** The demands that a judged report was held to. */
export function policyOf(check: Check): Policy {
  return {
    failOn: check.failOn,
    pruneCheck: check.pruneCheck,
    max: Object.fromEntries(check.limits.map(({ rule, max }) => [rule, max])),
    assertions: check.assertions.map(({ expression }) => parseAssertion(expression)),
  }
}

/** Whether a finding of this severity fails the check; errors fail a report that was not checked. */
export function fails(finding: Pick<Finding, 'severity'>, check: Pick<Check, 'failOn'> | null): boolean {
  return severities.indexOf(finding.severity) <= severities.indexOf(check?.failOn ?? 'error')
}

/** Everything that fails the check besides single findings: limits, assertions, then the baseline. */
export function breaches(report: Report): Breach[] {
  if (report.check === null) return []
  const { limits, assertions, stale, pruneCheck } = report.check
  const whole = report.shard === null && report.sessions.length > 0
  return [
    ...limits.flatMap(({ rule, max, found }): Breach[] =>
      found <= max ? [] : [{ kind: 'limit', source: null, text: `${found} findings of ${rule}, at most ${max} allowed` }]),
    ...assertions.flatMap(({ expression, measured, broken }): Breach[] => [
      ...broken.map(({ source, actual }): Breach => ({ kind: 'assertion', source, text: `${expression} does not hold: ${actual}` })),
      ...(whole && measured === 0 ? [{ kind: 'assertion' as const, source: null, text: `${expression}: no session has anything to measure` }] : []),
    ]),
    ...(whole && pruneCheck ? stale.map((e): Breach => ({ kind: 'stale-baseline', source: e.source ?? null, text: `the baseline accepts ${e.rule} "${e.text}", which no longer occurs` })) : []),
  ]
}

function countOf(report: Report, rule: string): number {
  return report.sessions.reduce((n, s) => n + s.findings.filter((f) => f.rule === rule).length, 0)
}

function measure(report: Report, assertion: Assertion): Check['assertions'][number] {
  const measured = report.sessions.flatMap((session) => {
    const result = assertion.measure(session)
    return result === null ? [] : [{ source: session.source, ...result }]
  })
  return {
    expression: assertion.expression,
    measured: measured.length,
    broken: measured.filter((m) => !m.holds).map(({ source, actual }) => ({ source, actual })),
  }
}
