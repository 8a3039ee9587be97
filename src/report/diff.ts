import type { Finding, Report } from './schema.ts'

export interface Difference {
  readonly added: readonly Located[]
  readonly fixed: readonly Located[]
  readonly unchanged: readonly Located[]
}

export interface Located {
  readonly source: string
  readonly finding: Finding
}

/** Findings of two reports by fingerprint, each as often as it occurs, in the order of the report they stand in. */
export function diffReports(before: Report, after: Report): Difference {
  const old = locate(before)
  const now = locate(after)
  const [unchanged, added] = split(now, countByKey(old))
  const [, fixed] = split(old, countByKey(now))
  return { added, fixed, unchanged }
}

function locate(report: Report): Located[] {
  return report.sessions.flatMap(({ source, findings }) => findings.map((finding) => ({ source, finding })))
}

const keyOf = ({ finding }: Located) => `${finding.rule} ${finding.fingerprint}`

function countByKey(items: readonly Located[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

/** Those that have a partner among `partners`, and the rest. */
function split(items: readonly Located[], partners: Map<string, number>): [Located[], Located[]] {
  const paired: Located[] = []
  const alone: Located[] = []
  for (const item of items) {
    const left = partners.get(keyOf(item)) ?? 0
    if (left > 0) paired.push(item)
    else alone.push(item)
    partners.set(keyOf(item), left - 1)
  }
  return [paired, alone]
}
