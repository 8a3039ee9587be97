/** One session as triage keeps it: small enough to hold thousands, with the findings for those who count them elsewhere. */
import { isRecord } from '../model/canonical.ts'
import type { Failure, Finding, Incident, SessionReport } from '../report/schema.ts'
import { verdictReason } from '../reporters/verdict.ts'

export interface TriageRow extends Pick<SessionReport, 'source' | 'id' | 'generation' | 'agentPreset' | 'model' | 'cwd' | 'verdict'> {
  readonly parent: string | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Why, in one line. */
  readonly headline: string
  /** What the incidents cost together. */
  readonly cost: Incident['cost']
  readonly findings: readonly Finding[]
}

/** What one log gave. */
export interface Outcome {
  readonly row: TriageRow | null
  readonly failures: readonly Failure[]
}

/** Of what this build has noted; it is not looked at in depth. */
export function isOutcome(value: unknown): value is Outcome {
  return isRecord(value) && Array.isArray(value['failures']) && isRecord(value['row']) && Array.isArray(value['row']['findings'])
}

export function rowOf(session: SessionReport): TriageRow {
  const { source, id, generation, agentPreset, model, cwd, parent, span, verdict, findings, incidents } = session
  const total = (key: keyof TriageRow['cost']): number => incidents.reduce((sum, { cost }) => sum + cost[key], 0)
  return {
    source, id, generation, agentPreset, model, cwd, parent: parent?.id ?? null, startedAt: span.startedAt, endedAt: span.endedAt,
    verdict, headline: verdictReason(session),
    cost: { rounds: total('rounds'), ms: total('ms'), inputTokens: total('inputTokens'), outputTokens: total('outputTokens') },
    findings,
  }
}

const WORST_FIRST = ['sick', 'suspect', 'healthy'] as const

/** Worst first: verdict, rounds and time burned, number of errors; then the newest. */
export function ranked(rows: readonly TriageRow[]): TriageRow[] {
  const errors = (row: TriageRow): number => row.findings.filter((f) => f.severity === 'error').length
  return rows.toSorted((a, b) =>
    WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict)
    || b.cost.rounds - a.cost.rounds || b.cost.ms - a.cost.ms || errors(b) - errors(a)
    || (b.endedAt ?? 0) - (a.endedAt ?? 0) || (a.source < b.source ? -1 : 1))
}

/** Sessions that have the same things wrong with them. */
export interface Cluster {
  /** Ids of the rules with an error or a warning, in order. */
  readonly rules: readonly string[]
  readonly sessions: number
  /** Of these, how many have the very same findings as the example, up to ids, numbers and times. */
  readonly alike: number
  /** The worst of them. */
  readonly example: TriageRow
  readonly rounds: number
}

/** Largest first. Healthy sessions form none. */
export function clustersOf(rows: readonly TriageRow[]): Cluster[] {
  const groups = new Map<string, TriageRow[]>()
  for (const row of ranked(rows)) {
    const key = signatureOf(row, (f) => f.rule).join()
    if (key === '') continue
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  const prints = (row: TriageRow): string => signatureOf(row, (f) => f.fingerprint).join()
  return [...groups.values()].flatMap((group) => {
    const [example] = group
    return example ? [{
      rules: signatureOf(example, (f) => f.rule), sessions: group.length, alike: group.filter((row) => prints(row) === prints(example)).length,
      example, rounds: group.reduce((sum, row) => sum + row.cost.rounds, 0),
    }] : []
  }).toSorted((a, b) => b.sessions - a.sessions || b.rounds - a.rounds || (a.rules.join() < b.rules.join() ? -1 : 1))
}

function signatureOf(row: TriageRow, by: (finding: TriageRow['findings'][number]) => string): string[] {
  return [...new Set(row.findings.filter((f) => f.severity !== 'info').map(by))].toSorted()
}
