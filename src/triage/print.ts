/** What triage prints. */
import ndjsonStreams from 'ndjson'
import { Chalk } from 'chalk'
import { clustersOf, ranked, type Cluster, type TriageRow } from './row.ts'
import type { Triage } from './index.ts'
import { cleanJson, cleanText } from '../reporters/clean.ts'
import { count, cut, duration, oneLine, pad, tokens } from '../reporters/format.ts'
import type { PrintOptions } from '../reporters/reporter.ts'

/** Rows of the table, and clusters, unless all are asked for. */
const MOST = 30
const INDENT = ' '.repeat(9)

export function triageText(triage: Triage, { color, width, verbosity }: PrintOptions): string {
  const ink = new Chalk({ level: color ? 1 : 0 })
  const inks = { sick: ink.red, suspect: ink.yellow, healthy: ink.green }
  const all = ranked(triage.rows)
  const isVerbose = verbosity === 'verbose'
  const rows = isVerbose ? all : all.filter((r) => r.verdict !== 'healthy').slice(0, MOST)
  const shown = new Set(rows)
  const hidden = all.filter((row) => !shown.has(row))
  const clusters = verbosity === 'quiet' ? [] : clustersOf(all).filter(({ sessions }) => isVerbose || sessions > 1).slice(0, isVerbose ? undefined : MOST)
  // Places are never cut: they are there to be copied.
  const line = (row: TriageRow): string => {
    const burned = row.cost.rounds > 0 ? `${count(row.cost.rounds, 'round')}, ${duration(row.cost.ms)}, ${tokens(row.cost.inputTokens + row.cost.outputTokens)} tokens burned` : ''
    const facts = [row.generation, age(row), burned, clean(row.source)].filter((s) => s !== '')
    return `${inks[row.verdict](pad(row.verdict, INDENT.length))}${cut(clean(row.headline), Math.max(20, width - INDENT.length))}\n${ink.dim(`${INDENT}${facts.join(' · ')}`)}`
  }
  const group = ({ rules, sessions, alike, example, rounds }: Cluster): string => {
    const facts = [alike > 1 ? `${alike === sessions ? 'all' : alike} with the same words` : '', rounds > 0 ? `${count(rounds, 'round')} burned` : '', `e.g. ${clean(example.source)}`].filter((s) => s !== '')
    return `${pad(count(sessions, 'session'), 13)} ${rules.join(', ')}\n${ink.dim(`${' '.repeat(14)}${facts.join(' · ')}`)}`
  }
  return `${[
    totals(triage),
    ...(rows.length > 0 ? ['', ...rows.map(line)] : []),
    ...(hidden.length > 0 ? ['', ink.dim(`Not shown: ${verdicts(hidden)}; --verbose shows all`)] : []),
    ...(clusters.length > 0 ? ['', 'Sessions with the same faults', ...clusters.map(group)] : []),
    ...(triage.failures.length > 0 ? ['', 'Not analysed', ...triage.failures.map((f) => clean(`  ${f.source}: ${f.text}`))] : []),
  ].join('\n')}\n`
}

export function triageMarkdown(triage: Triage): string {
  return `${[
    `## ${totals(triage)}`,
    ...table(['verdict', 'session', 'why', 'rounds', 'time', 'version'], ranked(triage.rows).filter((r) => r.verdict !== 'healthy')
      .map((r) => [r.verdict, cell(r.source), cell(r.headline), r.cost.rounds, duration(r.cost.ms), r.generation])),
    ...table(['sessions', 'share', 'example'], clustersOf(triage.rows).map((c) => [c.sessions, c.rules.join(', '), cell(c.example.source)])),
    ...table(['not analysed', 'why'], triage.failures.map((f) => [cell(f.source), cell(f.text)])),
  ].join('\n')}\n`
}

function cell(text: string): string {
  return clean(text).replace(/[\\`*_<>|[\]]/g, (c) => `\\${c}`)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return rows.length === 0 ? [] : ['', ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)]
}

/** Everything but the findings, which ndjson has. */
export function triageJson(triage: Triage): string {
  const { logs, failures, stopped } = triage
  const clusters = clustersOf(triage.rows).map(({ example, ...cluster }) => ({ ...cluster, example: example.source }))
  return `${cleanJson(JSON.stringify({ logs, stopped, sessions: ranked(triage.rows).map(withoutFindings), clusters, failures }, null, 2))}\n`
}

function withoutFindings({ findings, ...row }: TriageRow): unknown {
  return { ...row, rules: [...new Set(findings.map((f) => f.rule))].toSorted() }
}

/** One line per finding, each with what there is to know about its session: loads into a table as it is. */
export function triageLines({ source, id, generation, agentPreset, model, cwd, startedAt, endedAt, verdict, findings }: TriageRow): string {
  if (findings.length === 0) return ''
  const lines = ndjsonStreams.stringify()
  let text = ''
  for (const finding of findings) {
    lines.write({ session: id, source, generation, agentPreset, model, cwd, startedAt, endedAt, verdict, ...finding })
    text += String(lines.read())
  }
  return cleanJson(text)
}

function totals({ logs, done, rows, failures, cached, stopped }: Triage): string {
  const parts = [verdicts(rows), ...(failures.length > 0 ? [`${failures.length} not analysed`] : [])].filter((part) => part !== '')
  return `${stopped ? `stopped after ${done} of ${count(logs, 'log')}` : count(rows.length, 'session')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}${cached > 0 ? ` (${cached} from the cache)` : ''}`
}

/** How many of each, the worst first; none of none. */
function verdicts(rows: readonly TriageRow[]): string {
  const of = (verdict: TriageRow['verdict']): number => rows.filter((r) => r.verdict === verdict).length
  return (['sick', 'suspect', 'healthy'] as const).flatMap((verdict) => (of(verdict) > 0 ? [`${of(verdict)} ${verdict}`] : [])).join(', ')
}

function age({ endedAt }: TriageRow): string {
  return endedAt === null || endedAt === 0 ? '' : new Date(endedAt).toISOString().slice(0, 16).replace('T', ' ')
}

function clean(text: string): string {
  return oneLine(cleanText(text))
}
