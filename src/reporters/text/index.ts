/** For people: the verdict first, then what happened and what to do, then the evidence. */
import { Chalk } from 'chalk'
import { groupBy } from '../../group.ts'
import type { Failure, Report, SessionReport } from '../../report/schema.ts'
import { cleaned } from '../clean.ts'
import { count, cut, cutStart, duration, oneLine, pad, shortId } from '../format.ts'
import type { PrintOptions } from '../reporter.ts'
import { answerCounts, roundCounts, severityCounts, verdictReason } from '../verdict.ts'
import { answersSection } from './answers.ts'
import { checkLines } from './check.ts'
import { findingsSections, incidentSections, issuesSection, notEvaluatedSection } from './findings.ts'
import { familySection } from './family.ts'
import { type Page, paragraph } from './page.ts'
import { roundsSection } from './rounds.ts'

type Verdict = Report['summary']['verdict']

const MAX_WIDTH = 100
const MIN_WIDTH = 60
const VERDICT = 12

/** Same columns, no character outside ASCII. */
const ASCII: Record<string, string> = { '▮': '#', '▯': '_', '·': '.', '–': '-', '…': '~', '─': '-' }

export function text(report: Report, options: PrintOptions): string {
  const page: Page = {
    ink: new Chalk({ level: options.color ? 1 : 0 }),
    width: Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, options.width)),
    verbose: options.verbosity === 'verbose',
  }
  const clean = cleaned(report)
  const lines = [...(options.verbosity === 'quiet' ? verdicts(clean, page) : everything(clean, page)), ...checkLines(clean, page)]
  const out = lines.map((line) => `${line}\n`).join('')
  return options.unicode ? out : out.replace(/[▮▯·–…─]/g, (c) => ASCII[c] ?? c)
}

function verdicts(report: Report, page: Page): string[] {
  return [...report.sessions.map((session) => verdictLine(session, page)), ...report.failures.flatMap((failure) => failureLines(failure, page))]
}

function everything(report: Report, page: Page): string[] {
  const { sessions, failures } = report
  const [only] = sessions
  const failed = failures.flatMap((failure) => failureLines(failure, page))
  const byId = groupBy(sessions, (session): string | null => session.id)
  if (only === undefined) return failed
  if (sessions.length === 1) return [...sessionLines(only, report, byId, page), ...(failed.length > 0 ? ['', ...failed] : [])]
  const told = page.verbose ? sessions : sessions.filter((session) => session.verdict !== 'healthy')
  return [...overview(report, page), ...(failed.length > 0 ? ['', ...failed] : []), ...told.flatMap((session) => ['', page.ink.dim('─'.repeat(page.width)), ...sessionLines(session, report, byId, page)])]
}

function sessionLines(session: SessionReport, report: Report, byId: ReadonlyMap<string | null, readonly SessionReport[]>, page: Page): string[] {
  return [
    verdictLine(session, page),
    ...header(session, page),
    ...incidentSections(session, page),
    ...answersSection(session, page),
    ...roundsSection(session, page),
    ...familySection(session, byId, page),
    ...findingsSections(session, report, page),
    ...issuesSection(session, page),
    ...notEvaluatedSection(session, page),
  ]
}

function verdictLine(session: SessionReport, page: Page): string {
  const what = cut(`${shortId(oneLine(session.id))}  ${verdictReason(session)}`, page.width - VERDICT)
  return word(session.verdict, page) + (session.verdict === 'healthy' ? what : page.ink.bold(what))
}

function word(verdict: Verdict | 'incomplete', page: Page): string {
  const ink = { healthy: page.ink.green, suspect: page.ink.yellow, sick: page.ink.red, unreadable: page.ink.magenta, incomplete: page.ink.magenta }[verdict]
  return ink.bold(pad(verdict.toUpperCase(), VERDICT))
}

function header(session: SessionReport, page: Page): string[] {
  const { startedAt, endedAt, openTail } = session.span
  const counts = severityCounts(session)
  const found = [
    ...(counts.error > 0 ? [count(counts.error, 'error')] : []),
    ...(counts.warning > 0 ? [count(counts.warning, 'warning')] : []),
    ...(counts.info > 0 ? [count(counts.info, 'note')] : []),
  ]
  const facts = [
    `${session.generation}${session.agentPreset === null ? '' : ` ${session.agentPreset}`}`,
    ...(session.model === null ? [] : [session.model]),
    count(session.counts.turns, 'turn'),
    ...(startedAt === null || endedAt === null ? [] : [duration(endedAt - startedAt)]),
    found.length === 0 ? 'nothing found' : found.join(', '),
    ...(openTail ? ['the log stops inside a turn: still running, or crashed'] : []),
    ...(session.parent === null ? [] : [`${session.parent.kind} of ${shortId(session.parent.id)}`]),
  ]
  return [
    ...paragraph(oneLine(session.source), VERDICT, page),
    ...paragraph(facts.map((fact) => cut(oneLine(fact), 60)).join(' · '), VERDICT, page),
  ].map((line) => page.ink.dim(line))
}

function failureLines(failure: Failure, page: Page): string[] {
  const [verdict, what] = failure.rule === null ? ['unreadable' as const, failure.text] : ['incomplete' as const, `a rule failed: ${failure.text}`]
  return [word(verdict, page) + cutStart(oneLine(failure.source), page.width - VERDICT), ...paragraph(oneLine(what), VERDICT, page)]
}

/** One line per session, in the order of the report. */
function overview(report: Report, page: Page): string[] {
  const tally = (['sick', 'suspect', 'healthy'] as const).flatMap((verdict) => {
    const n = report.sessions.filter((session) => session.verdict === verdict).length
    return n === 0 ? [] : [`${n} ${verdict}`]
  })
  if (report.failures.length > 0) tally.push(`${report.failures.length} not analysed`)
  return [
    `${word(report.summary.verdict, page)}${page.ink.bold(`${count(report.sessions.length, 'session')}: ${tally.join(', ')}`)}`,
    '',
    page.ink.dim(cut(`  ${pad('verdict', 9)} ${pad('session', 16)} ${pad('unheard', 8)} ${pad('idle', 8)} ${pad('err/warn', 9)} source`, page.width)),
    ...report.sessions.map((session) => overviewLine(session, page)),
  ]
}

function overviewLine(session: SessionReport, page: Page): string {
  const answers = answerCounts(session)
  const rounds = roundCounts(session)
  const found = severityCounts(session)
  const ink = { healthy: page.ink.green, suspect: page.ink.yellow, sick: page.ink.red }[session.verdict]
  const cells = `${pad(cut(shortId(oneLine(session.id)), 16), 16)} ${share(answers.unheard, answers.given)} ${share(rounds.idle, rounds.all)} ${pad(`${found.error}/${found.warning}`, 9)}`
  return `  ${ink(pad(session.verdict, 9))} ${cells} ${cutStart(oneLine(session.source), page.width - 57)}`
}

function share(n: number, all: number): string {
  return pad(all === 0 ? '–' : `${n}/${all}`, 8)
}
