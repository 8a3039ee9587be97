/** What triage prints. */
import ndjsonStreams from 'ndjson'
import { Chalk } from 'chalk'
import { clustersOf, ranked, type Cluster, type TriageRow } from '../triage/row.ts'
import type { Triage } from '../triage/index.ts'
import { cleanJson, cleanText } from './clean.ts'
import { count, cut, cutStart, duration, oneLine, pad, tokens } from './format.ts'
import type { PrintOptions } from './reporter.ts'

/** Rows of the table, and clusters, unless all are asked for. */
const MOST = 30

export function triageText(triage: Triage, { color, width, verbosity }: PrintOptions): string {
  const ink = new Chalk({ level: color ? 1 : 0 })
  const inks = { sick: ink.red, suspect: ink.yellow, healthy: ink.green }
  const all = ranked(triage.rows)
  const rows = verbosity === 'verbose' ? all : all.filter((r) => r.verdict !== 'healthy').slice(0, MOST)
  const clusters = verbosity === 'quiet' ? [] : clustersOf(all).slice(0, verbosity === 'verbose' ? undefined : MOST)
  const place = Math.min(Math.max(12, ...rows.map((r) => r.source.length)), Math.floor(width / 3))
  const line = (row: TriageRow): string => {
    const facts = [row.generation, age(row), row.cost.rounds > 0 ? `${count(row.cost.rounds, 'round')}, ${duration(row.cost.ms)}, ${tokens(row.cost.inputTokens + row.cost.outputTokens)} tokens` : ''].filter((s) => s !== '')
    const head = `${pad(cutStart(clean(row.source), place), place)}  `
    return `${inks[row.verdict](pad(row.verdict, 7))}  ${head}${cut(clean(row.headline), Math.max(20, width - 9 - place - 2))}\n${ink.dim(`${' '.repeat(11 + place)}${facts.join(' · ')}`)}`
  }
  const group = ({ rules, sessions, alike, example, rounds }: Cluster): string =>
    `${pad(count(sessions, 'session'), 13)} ${rules.join(', ')}\n${ink.dim(`              ${alike === sessions ? 'all alike' : `${alike} alike`}${rounds > 0 ? `, ${count(rounds, 'round')} burned` : ''}; e.g. ${clean(example.source)}`)}`
  return `${[
    totals(triage),
    ...(rows.length > 0 ? ['', ...rows.map(line)] : []),
    ...(rows.length < all.length && verbosity !== 'verbose' ? ['', ink.dim(`${count(all.length - rows.length, 'session')} not shown; --verbose shows all`)] : []),
    ...(clusters.length > 0 ? ['', 'The same in', ...clusters.map(group)] : []),
    ...(triage.failures.length > 0 ? ['', 'Not analysed', ...triage.failures.map((f) => cut(clean(`  ${f.source}: ${f.text}`), width))] : []),
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
  const of = (verdict: TriageRow['verdict']): number => rows.filter((r) => r.verdict === verdict).length
  const parts = [`${of('sick')} sick`, `${of('suspect')} suspect`, `${of('healthy')} healthy`]
  if (failures.length > 0) parts.push(`${failures.length} not analysed`)
  return `${stopped ? `stopped after ${done} of ${count(logs, 'log')}` : count(rows.length, 'session')}: ${parts.join(', ')}${cached > 0 ? ` (${cached} from the cache)` : ''}`
}

function age({ endedAt }: TriageRow): string {
  return endedAt === null || endedAt === 0 ? '' : new Date(endedAt).toISOString().slice(0, 16).replace('T', ' ')
}

function clean(text: string): string {
  return oneLine(cleanText(text))
}
