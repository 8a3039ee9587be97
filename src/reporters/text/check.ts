import { breaches, fails } from '../../report/check.ts'
import type { Report } from '../../report/schema.ts'
import { count, oneLine, pad } from '../format.ts'
import { first, type Page, paragraph, row } from './page.ts'

const VERDICT = 12
/** `stale-baseline` and two spaces. */
const KIND = 16

/** What `check` makes of the report: the last lines, where people look in the log of a pipeline. */
export function checkLines(report: Report, page: Page): string[] {
  const { check, sessions, failures } = report
  if (check === null) return []
  const broken = breaches(report)
  const failing = sessions.reduce((n, s) => n + s.findings.filter((f) => fails(f, check)).length, 0)
  const accepted = sessions.reduce((n, s) => n + s.accepted.length, 0)
  const parts = [
    ...(failing > 0 ? [`${count(failing, 'finding')} at --fail-on ${check.failOn}`] : []),
    ...(broken.length > 0 ? [`${count(broken.length, 'demand')} not met`] : []),
    ...(failures.length > 0 ? [`${failures.length} not analysed`] : []),
    ...(accepted > 0 ? [`${accepted} accepted by the baseline`] : []),
    ...(check.stale.length > 0 && !check.pruneCheck ? [`${count(check.stale.length, 'accepted finding')} no longer there`] : []),
  ]
  const passed = check.passed && failures.length === 0
  const word = passed ? page.ink.green.bold(pad('PASSED', VERDICT)) : page.ink.red.bold(pad('FAILED', VERDICT))
  const [head = '', ...rest] = paragraph(parts.join('; ') || `nothing at --fail-on ${check.failOn}`, VERDICT, page)
  return [
    '', word + head.slice(VERDICT), ...rest,
    ...first(broken, 20, (b) => row(b.kind, oneLine(b.source === null ? b.text : `${b.source}: ${b.text}`), 2, page, KIND), page),
  ]
}
