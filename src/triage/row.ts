/** One session as triage keeps it: small enough to hold thousands, with the findings for those who count them elsewhere. */
import { z } from 'zod'
import { failureSchema, findingSchema, type SessionReport } from '../report/schema.ts'
import { verdictReason } from '../reporters/verdict.ts'

export const rowSchema = z.object({
  source: z.string(),
  id: z.string(),
  generation: z.string(),
  agentPreset: z.string().nullable(),
  model: z.string().nullable(),
  cwd: z.string().nullable(),
  parent: z.string().nullable(),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  verdict: z.enum(['healthy', 'suspect', 'sick']),
  /** Why, in one line. */
  headline: z.string(),
  /** What the incidents cost together. */
  cost: z.object({ rounds: z.int(), ms: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
  findings: z.array(findingSchema),
})
export type TriageRow = z.infer<typeof rowSchema>

/** What one log gave. */
export const outcomeSchema = z.object({ row: rowSchema.nullable(), failures: z.array(failureSchema) })
export type Outcome = z.infer<typeof outcomeSchema>

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
