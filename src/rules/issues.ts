/** What the rules of the log family share: issues of one code become one finding. */
import type { Severity } from '../facts/vocabulary.ts'
import type { Session } from '../model/session.ts'
import type { Place, RuleContext } from './define.ts'

type Issue = Session['issues'][number]

/** The input was a capture of live events: it begins and ends anywhere, and none of it is a file of the harness. */
const LIVE_CAPTURE = 'live-capture'

/** Issue codes → the rule that tells about them, null: none does. Every other code belongs to `invariant-violation`. */
const RULE_OF: Readonly<Record<string, string | null>> = {
  'torn-line': 'torn-log',
  'torn-frame': 'torn-log',
  'sequence-gap': 'broken-sequence',
  'sequence-repeat': 'broken-sequence',
  'blank-line': 'broken-sequence',
  'unparsable-line': 'broken-sequence',
  'long-row': 'broken-sequence',
  'malformed-row': 'broken-sequence',
  'malformed-envelope': 'broken-sequence',
  'bad-frame': 'broken-sequence',
  'bad-checksum': 'broken-sequence',
  'unterminated-frame': 'broken-sequence',
  'call-without-result': 'unpaired-call',
  'result-without-call': 'unpaired-call',
  'block-without-call': 'unpaired-call',
  'dispatch-without-settle': 'unsettled-dispatch',
  'settle-without-start': 'unsettled-dispatch',
  'unknown-event': 'unknown-event',
  'older-generation': 'mixed-generations',
  'duplicate-session': 'mixed-generations',
  [LIVE_CAPTURE]: null,
}

/** Rows are missing or could not be read: what the log promises cannot be checked to its end. */
export function isDamage(code: string): boolean {
  return RULE_OF[code] === 'broken-sequence'
}

function ruleOf(code: string): string | null {
  const rule = RULE_OF[code]
  return rule === undefined ? 'invariant-violation' : rule
}

export type IssueArgs = {
  readonly code: string
  /** Issues of this code. */
  readonly count: number
  /** The first of them, in its own words. */
  readonly first: string
  /** What the harness's reader does with the log because of it. */
  readonly harness: Issue['harness']
}

const CONSEQUENCES: Readonly<Record<Issue['harness'], string>> = {
  refuse: ' The harness refuses to open this log.',
  'drop-tail': ' The harness ignores everything from here on.',
  accept: '',
  'not-read': '',
}

/** Worst first: the finding says the worst that the harness does because of any of them. */
const HARNESS_ORDER: readonly Issue['harness'][] = ['refuse', 'drop-tail', 'accept', 'not-read']

export function issueText({ count, first, harness }: IssueArgs): string {
  return `${first}${count > 1 ? ` (${count} of this kind.)` : ''}${CONSEQUENCES[harness]}`
}

/** What the harness would refuse is an error; what only optional checks see, or what a crash leaves, is not. */
export function issueSeverity({ harness }: IssueArgs): Severity {
  return harness === 'refuse' ? 'error' : 'warning'
}

/** One finding per issue code that belongs to the rule `ruleId`. */
export function reportIssues(ruleId: string, { session, report }: RuleContext<never, IssueArgs>, severityOf: (args: IssueArgs) => Severity = issueSeverity): void {
  const isCapture = session.issues.some(({ code }) => code === LIVE_CAPTURE)
  const mine = session.issues.filter(({ code }) => ruleOf(code) === ruleId)
  for (const code of new Set(mine.map((issue) => issue.code))) {
    const issues = mine.filter((issue) => issue.code === code)
    const first = issues.toSorted((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity))[0]
    if (!first) continue
    const args: IssueArgs = {
      code, first: first.text,
      count: issues.reduce((n, issue) => n + (issue.count ?? 1), 0),
      harness: HARNESS_ORDER.find((harness) => issues.some((issue) => issue.harness === harness)) ?? 'accept',
    }
    report({ at: placeOf(session, first), args, certainty: 'proven', severity: isCapture ? 'info' : severityOf(args) })
  }
}

/** An issue without a seq stands at the last row known before its line; without a line, or beyond what was read, at the end of the log. */
function placeOf(session: Session, { seq, line }: Issue): Place {
  if (line === null || line > session.lastLine) return { seq: session.lastSeq ?? 0, line: session.lastLine }
  if (seq !== null) return { seq, line, turn: session.turns.findLast((t) => t.startSeq <= seq)?.turn ?? null }
  const before = [...session.turns.map((t) => ({ line: t.line, seq: t.startSeq })), ...session.calls, ...session.messages].filter((row) => row.line <= line)
  return { seq: before.reduce((last, row) => Math.max(last, row.seq), 0), line }
}
