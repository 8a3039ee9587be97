import { UsageError } from '../errors.ts'
import { orderFailures, summarise } from './assemble.ts'
import { judge, policyOf } from './check.ts'
import { linkFamilies } from './family.ts'
import type { Report } from './schema.ts'

/**
 * One report of many. The parts of a sharded run give, byte for byte, the report of the whole run; whole reports are put
 * one after the other. Throws UsageError when the parts do not belong together or one is missing.
 */
export function mergeReports(reports: readonly Report[]): Report {
  const [first, ...others] = reports
  if (first === undefined) throw new UsageError('nothing to merge')
  for (const other of others) {
    if (other.tool.version !== first.tool.version) throw new UsageError(`reports of different versions: ${first.tool.version} and ${other.tool.version}`)
    if (demands(other) !== demands(first)) throw new UsageError('the reports were checked with different settings')
  }
  const sessions = linkFamilies(inOrder(reports))
  const rules = new Map(reports.flatMap((r) => r.rules).map((rule) => [rule.id, rule]))
  const merged: Report = {
    ...first,
    summary: summarise(sessions),
    sessions,
    failures: orderFailures(reports.flatMap((r) => r.failures)),
    rules: [...rules.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    check: null,
    shard: null,
  }
  if (first.check === null) return merged
  // What no part found a use for, the whole has no use for.
  const useless = others.map((r) => new Set(r.check?.stale.map((e) => JSON.stringify(e))))
  const stale = first.check.stale.filter((e) => useless.every((entries) => entries.has(JSON.stringify(e))))
  return judge(merged, policyOf(first.check), stale)
}

function demands({ check }: Report): string {
  return JSON.stringify(check && [check.failOn, check.pruneCheck, check.limits.map((l) => [l.rule, l.max]), check.assertions.map((a) => a.expression)])
}

function inOrder(reports: readonly Report[]): Report['sessions'] {
  const shards = reports.flatMap((r) => r.shard ?? [])
  if (shards.length === 0) return reports.flatMap((r) => r.sessions)
  const [{ count } = { count: 0 }] = shards
  if (shards.length < reports.length) throw new UsageError('some reports are shards, others are whole')
  if (shards.some((s) => s.count !== count)) throw new UsageError('shards of different runs: their counts differ')
  for (let index = 1; index <= count; index++) {
    const n = shards.filter((s) => s.index === index).length
    if (n !== 1) throw new UsageError(n === 0 ? `shard ${index}/${count} is missing` : `shard ${index}/${count} is given ${n} times`)
  }
  return reports
    .flatMap((r) => r.sessions.map((session, i) => ({ session, place: r.shard?.order[i] ?? 0 })))
    .toSorted((a, b) => a.place - b.place)
    .map(({ session }) => session)
}
