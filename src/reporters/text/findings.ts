import type { Finding, Incident, Report, SessionReport, Severity } from '../../report/schema.ts'
import { count, cut, duration, oneLine, tokens } from '../format.ts'
import { extent, first, type Page, paragraph, row, section, whereabouts } from './page.ts'

const TITLES: Record<Severity, string> = { error: 'ERRORS', warning: 'WARNINGS', info: 'NOTES' }
const LIMITS: Record<Severity, number> = { error: 20, warning: 10, info: 5 }

export function incidentSections(session: SessionReport, page: Page): string[] {
  return session.incidents.flatMap((incident) => section('WHAT HAPPENED', incidentLines(incident, page), page))
}

function incidentLines(incident: Incident, page: Page): string[] {
  return [
    ...paragraph(incident.headline, 2, page),
    ...first(incident.chain, 12, (link) => row(placeOf(link), oneLine(link.text), 2, page, CHAIN), page),
    ...costRows(incident.cost, page),
    ...incident.actions.flatMap((action, i) => row(i === 0 ? 'what to do' : '', `${i + 1}. ${action}`, 2, page)),
  ]
}

/** Columns of the places in the story of an incident. */
const CHAIN = 24

function placeOf({ seq, toSeq, turn, round }: Incident['chain'][number]): string {
  if (toSeq !== null && toSeq !== seq) return `seq ${seq}–${toSeq}`
  return `seq ${seq}${round !== null ? `  round ${round}` : turn !== null ? `  turn ${turn}` : ''}`
}

function costRows(cost: Incident['cost'], page: Page): string[] {
  const parts = [
    ...(cost.rounds > 0 ? [count(cost.rounds, 'round')] : []),
    ...(cost.ms > 0 ? [duration(cost.ms)] : []),
    ...(cost.inputTokens + cost.outputTokens > 0 ? [`${tokens(cost.inputTokens)} tokens in, ${tokens(cost.outputTokens)} out`] : []),
  ]
  return parts.length === 0 ? [] : row('cost', parts.join(', '), 2, page)
}

/** What no incident has told yet, the worst first. */
export function findingsSections(session: SessionReport, { rules }: Report, page: Page): string[] {
  const advice = new Map(rules.map((rule) => [rule.id, rule.fix]))
  const linked = new Set(page.verbose ? [] : session.incidents.flatMap((i) => [...i.causes, ...i.effects]))
  const left = session.findings.filter((f) => !linked.has(f.id))
  return (['error', 'warning', 'info'] as const).flatMap((severity) => {
    const lines = first(left.filter((f) => f.severity === severity), LIMITS[severity], (f) => findingLines(f, f.fix ?? advice.get(f.rule) ?? null, page), page)
    return section(TITLES[severity], lines, page)
  })
}

function findingLines(finding: Finding, fix: string | null, page: Page): string[] {
  const place = [extent(finding), whereabouts(finding.at), finding.certainty].filter((part) => part !== '').join(', ')
  const ink = { error: page.ink.red, warning: page.ink.yellow, info: page.ink.cyan }[finding.severity]
  return [
    `  ${ink(finding.rule)}  ${page.ink.dim(cut(place, page.width - finding.rule.length - 4))}`,
    ...paragraph(finding.text, 4, page),
    ...(fix === null ? [] : row('what to do', fix, 4, page)),
    ...(page.verbose ? finding.related.flatMap(({ seq, why }) => row('see', `seq ${seq}, ${why}`, 4, page)) : []),
  ]
}

export function notEvaluatedSection(session: SessionReport, page: Page): string[] {
  if (session.notEvaluated.length === 0) return []
  if (!page.verbose) return ['', page.ink.dim(`${count(session.notEvaluated.length, 'rule')} not evaluated (--verbose)`)]
  return section('NOT EVALUATED', session.notEvaluated.flatMap(({ rule, because }) => paragraph(`${rule}: ${because}`, 2, page)), page)
}

export function issuesSection(session: SessionReport, page: Page): string[] {
  const lines = first(session.issues, 3, (issue) => {
    const place = issue.line !== null ? `line ${issue.line}` : issue.offset !== null ? `byte ${issue.offset}` : ''
    return paragraph([issue.code, place, oneLine(issue.text)].filter((part) => part !== '').join('  '), 2, page)
  }, page)
  return section(`TROUBLE IN THE LOG (${session.issues.length})`, lines, page)
}
