/** Findings that a team knows and accepts, each with the reason why. */
import { z } from 'zod'
import { withoutVolatile } from '../facts/volatile.ts'
import { summarise, verdictOf } from './assemble.ts'
import { fails } from './check.ts'
import { baselineEntrySchema, type BaselineEntry, type Finding, type Report, type SessionReport } from './schema.ts'

export const baselineSchema = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1),
  entries: z.array(baselineEntrySchema),
})

export type Baseline = z.infer<typeof baselineSchema>

/** How a baseline names a log: the path, seen from the baseline's folder, without ids, times and compression. */
export function sourceName(path: string): string {
  return withoutVolatile(path.replaceAll('\\', '/').replace(/\.zstd?$/, ''))
}

/**
 * Moves accepted findings out of the way: they and the incidents made of them count no more. `nameOf` gives a
 * session's source as the baseline names it. `stale`: the entries that accepted nothing.
 */
export function applyBaseline(report: Report, baseline: Baseline, nameOf: (source: string) => string): { report: Report; stale: BaselineEntry[] } {
  const used = new Set<BaselineEntry>()
  const find = finder(baseline)
  const sessions = report.sessions.map((session) => {
    const name = nameOf(session.source)
    return accept(session, (finding) => {
      const entry = find(finding, name)
      if (entry) used.add(entry)
      return entry?.reason ?? null
    })
  })
  return { report: { ...report, sessions, summary: summarise(sessions) }, stale: baseline.entries.filter((e) => !used.has(e)) }
}

/** The entry that accepts a finding of the log of this name, if any. */
function finder(baseline: Baseline): (finding: Finding, name: string) => BaselineEntry | undefined {
  const entries = new Map(baseline.entries.map((e) => [key(e.rule, e.fingerprint, e.source ?? null), e]))
  return ({ rule, fingerprint }, name) => entries.get(key(rule, fingerprint, name)) ?? entries.get(key(rule, fingerprint, null))
}

function key(rule: string, fingerprint: string, source: string | null): string {
  return JSON.stringify([rule, fingerprint, source])
}

function accept(session: SessionReport, reasonFor: (finding: Finding) => string | null): SessionReport {
  const judged = session.findings.map((finding) => ({ finding, reason: reasonFor(finding) }))
  const findings = judged.flatMap((j) => (j.reason === null ? [j.finding] : []))
  const accepted = judged.flatMap((j) => (j.reason === null ? [] : [{ ...j.finding, reason: j.reason }]))
  const left = new Set(findings.map((f) => f.id))
  const incidents = session.incidents
    .map((i) => ({ ...i, causes: i.causes.filter((id) => left.has(id)), effects: i.effects.filter((id) => left.has(id)), chain: i.chain.filter((c) => left.has(c.finding)) }))
    .filter((i) => i.causes.length + i.effects.length > 0)
  return { ...session, findings, accepted, incidents, verdict: verdictOf(findings) }
}

/**
 * A baseline that accepts every failing finding of the report (which no baseline was applied to). Known entries stay as
 * they are while they accept anything; new ones, and those without a reason, get `reason`.
 */
export function updateBaseline(report: Report, old: Baseline, failOn: Finding['severity'], reason: string, nameOf: (source: string) => string): Baseline {
  const find = finder(old)
  const entries = report.sessions.flatMap((session) => {
    const source = nameOf(session.source)
    return session.findings.flatMap((finding): BaselineEntry[] => {
      const { fingerprint, rule, text } = finding
      const known = find(finding, source)
      if (known) return [known.reason.trim() === '' ? { ...known, reason } : known]
      return fails(finding, { failOn }) ? [{ fingerprint, rule, source, text, reason }] : []
    })
  })
  // One entry accepts all findings with its fingerprint, whatever numbers stand in their texts.
  const byKey = new Map(entries.map((e) => [key(e.rule, e.fingerprint, e.source ?? null), e]))
  return { ...old, entries: [...byKey.values()].toSorted((a, b) => (place(a) < place(b) ? -1 : 1)) }
}

const place = ({ source, rule, text, fingerprint }: BaselineEntry): string => JSON.stringify([source ?? '', rule, text, fingerprint])
