/** For a job summary or a pull request comment. */
import { breaches } from '../report/check.ts'
import type { Finding, Report, SessionReport } from '../report/schema.ts'
import { cleaned } from './clean.ts'
import { count, duration, oneLine, shortId, tokens } from './format.ts'
import { rowOf } from './places.ts'
import { answerCounts, roundCounts, severityCounts, verdictReason } from './verdict.ts'

/** GitHub refuses summaries over 1 MiB; a character is up to three bytes. */
const MAX_CHARS = 300_000
const MAX_SESSIONS = 50
const MAX_FINDINGS = 20
const MAX_TEXT = 300

const VERDICTS: readonly SessionReport['verdict'][] = ['sick', 'suspect', 'healthy']

export function markdown(raw: Report): string {
  const report = cleaned(raw)
  const { failures, summary } = report
  // The worst first: what is left out for its length is the least to miss.
  const sessions = report.sessions.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict))
  const told = sessions.filter((s) => s.findings.length > 0)
  const broken = breaches(report)
  const head = [
    `## inquest: ${summary.verdict}${report.check === null ? '' : report.check.passed && failures.length === 0 ? ', passed' : ', failed'}`,
    '',
    `${count(summary.sessions, 'session')}: ${count(summary.findings.error, 'error')}, ${count(summary.findings.warning, 'warning')}, ${count(summary.findings.info, 'note')}`,
    ...list('Not analysed', failures.map((f) => `${code(f.source)}: ${escape(f.text)}`)),
    ...list('Demands not met', broken.map((b) => `${b.source === null ? '' : `${code(b.source)}: `}${escape(b.text)}`)),
    ...(sessions.length > 0 ? ['', '| verdict | session | unheard | idle | errors | warnings | why |', '|---|---|--:|--:|--:|--:|---|', ...sessions.slice(0, MAX_SESSIONS).map(tableRow)] : []),
    ...(sessions.length > MAX_SESSIONS ? ['', `${sessions.length - MAX_SESSIONS} more sessions are in the report.`] : []),
  ]
  return fill(lines(head), told)
}

/** The details of as many sessions as there is room for. */
function fill(head: string, sessions: readonly SessionReport[]): string {
  let text = head
  for (const [i, session] of sessions.entries()) {
    const section = lines(details(session))
    if (text.length + section.length > MAX_CHARS) return text + lines(['', `Left out for their length: ${count(sessions.length - i, 'session')}.`])
    text += section
  }
  return text
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}

function tableRow(session: SessionReport): string {
  const { unheard } = answerCounts(session)
  const { idle } = roundCounts(session)
  const { error, warning } = severityCounts(session)
  return `| ${session.verdict} | ${code(session.source)} | ${unheard} | ${idle} | ${error} | ${warning} | ${escape(verdictReason(session))} |`
}

function details(session: SessionReport): string[] {
  const { findings } = session
  return [
    '', `### ${session.verdict}: ${escape(shortId(session.id))}`,
    ...session.incidents.flatMap(({ headline, cost, actions }) => [
      '', `**${escape(headline)}**`,
      ...(cost.rounds > 0 ? ['', `Cost: ${count(cost.rounds, 'round')}, ${duration(cost.ms)}, ${tokens(cost.inputTokens + cost.outputTokens)} tokens.`] : []),
      ...(actions.length > 0 ? ['', ...actions.map((action, i) => `${i + 1}. ${escape(action)}`)] : []),
    ]),
    '', '<details>', `<summary>${count(findings.length, 'finding')}</summary>`,
    '', ...findings.slice(0, MAX_FINDINGS).map(item),
    ...(findings.length > MAX_FINDINGS ? [`- ${findings.length - MAX_FINDINGS} more`] : []),
    '', '</details>',
  ]
}

function item(finding: Finding): string {
  const fix = finding.fix === null ? '' : ` What to do: ${escape(finding.fix)}`
  return `- ${finding.severity} ${code(finding.rule)} at ${rowOf(finding)} (${finding.certainty}): ${escape(finding.text)}${fix}`
}

function list(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : ['', `**${title}**`, '', ...items.slice(0, MAX_SESSIONS).map((text) => `- ${text}`)]
}

/** One line of plain text: no markup, no link, no mention, no table cell ends in it. */
function escape(text: string): string {
  return clip(oneLine(text))
    .replace(/[&<>@]/g, (c) => `&#${c.charCodeAt(0)};`)
    .replace(/[\\`*_{}[\]()#+!|~$^-]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, (c) => `&#${c.charCodeAt(0)};`)
}

function clip(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Not a code span: a backtick or a `|` would end it. */
function code(text: string): string {
  return `<code>${escape(text)}</code>`
}
