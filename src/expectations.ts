/** What a test can expect of a run. `vitest.ts` and `assert.ts` only dress it. */
import { UsageError } from './errors.ts'
import type { AnswerState, Certainty, Severity } from './facts/vocabulary.ts'
import { didYouMean } from './nearest.ts'
import { parseAssertion } from './report/assertions.ts'
import type { Finding, Report, SessionReport } from './report/schema.ts'
import { cleanText } from './reporters/clean.ts'
import { count } from './reporters/format.ts'
import { rowOf } from './reporters/places.ts'
import { rules } from './rules/index.ts'

/** What `diagnose` resolves to, or one of its sessions. */
export type Diagnosed = Report | SessionReport

/** Which findings of a rule are meant; what is left out may be anything. */
export interface FindingFilter {
  readonly severity?: Severity
  readonly certainty?: Certainty
  /** Values of `args`, e.g. `{ questionId: 'storage' }`. */
  readonly args?: Readonly<Record<string, string | number | boolean | null>>
}

/** `told` says what was found, in full sentences; it explains a failure either way round. */
export interface Outcome {
  readonly pass: boolean
  readonly told: string
}

const UNHEARD: readonly AnswerState[] = ['dropped', 'partial', 'lost', 'truncated', 'evicted']
const GUARD_RULES = ['unguarded-question', 'gap-in-guard', 'leaked-guard', 'hidden-question-tool']

/** No answer was dropped, lost, cut, evicted, or passed on only in part. */
export function deliversEveryAnswer(run: Diagnosed): Outcome {
  return outcome(run, 'every answer reached the model', (session) =>
    session.answers.filter((a) => UNHEARD.includes(a.state)).map((a) => {
      const rows = [['asked', a.askedSeq], ['answered', a.settledSeq], ['result', a.outerSeq]].flatMap(([name, seq]) => (seq === null ? [] : [`${name} seq ${seq}`]))
      const fix = a.fix === null ? '' : `\n    what to do: ${a.fix.text}\n${indent(a.fix.before, '    - ')}\n${indent(a.fix.after, '    + ')}`
      return `${a.questionId} “${a.question}”: ${a.state}, ${a.certainty} (${rows.join(', ')})${fix}`
    }))
}

/** At most `atMost` goal rounds (default none) got nowhere; inherited ones belong to the parent. */
export function hasNoIdleRounds(run: Diagnosed, atMost = 0): Outcome {
  return outcome(run, `at most ${count(atMost, 'goal round')} idle`, (session) => {
    const idle = session.rounds.filter((r) => r.state === 'idle' && !r.inherited)
    return idle.length <= atMost ? [] : idle.map((r) => `round ${r.round}, seq ${r.fromSeq}–${r.toSeq}: ${r.kind}, ${r.why.join('; ')}`)
  })
}

/** No question went out in a goal round past a missing, late, leaking or hiding guard. */
export function isGuarded(run: Diagnosed): Outcome {
  return outcome(run, 'no gap in the guards', (session) => session.findings.filter((f) => GUARD_RULES.includes(f.rule)).map(tell))
}

/** No finding of severity error or warning. */
export function isHealthy(run: Diagnosed): Outcome {
  return outcome(run, 'nothing to warn of', (session) => session.findings.filter((f) => f.severity !== 'info').map(tell))
}

/** There is a finding of the rule. Throws UsageError for a rule that does not exist. */
export function hasFinding(run: Diagnosed, rule: string, filter: FindingFilter = {}): Outcome {
  const known = rules.map(({ id }) => id)
  if (!known.includes(rule)) throw new UsageError(`unknown rule ${rule}${didYouMean(rule, known)}`)
  const { pass, told } = outcome(run, `no such finding of ${rule}`, (session) => session.findings.filter((f) => f.rule === rule && matches(f, filter)).map(tell))
  return { pass: !pass, told }
}

/** The assertion of `inquest check --assert` holds, for every session it can be measured in and for one at least. */
export function meets(run: Diagnosed, expression: string): Outcome {
  const assertion = parseAssertion(expression)
  const sessions = sessionsOf(run)
  if (sessions.every((session) => assertion.measure(session) === null)) return { pass: false, told: `${expression}: no session has anything to measure` }
  return outcome(run, `${assertion.expression} holds`, (session) => {
    const measured = assertion.measure(session)
    return measured === null || measured.holds ? [] : [`${assertion.expression} does not hold: ${measured.actual}`]
  })
}

/** Passes when no session has a problem; else the problems, under the incidents they belong to. */
function outcome(run: Diagnosed, good: string, problemsOf: (session: SessionReport) => readonly string[]): Outcome {
  const told = sessionsOf(run).flatMap((session) => {
    const problems = problemsOf(session)
    return problems.length === 0 ? [] : [[session.source, ...session.incidents.map((i) => `  ${i.headline}`), ...problems.map((p) => `  - ${p}`)].join('\n')]
  })
  return { pass: told.length === 0, told: cleanText(told.length === 0 ? `${good}: ${sessionsOf(run).map((s) => s.source).join(', ')}` : told.join('\n')) }
}

/** Throws when some of the run could not be analysed: nothing could be said about it, whichever way round. */
function sessionsOf(run: Diagnosed): readonly SessionReport[] {
  if (!('sessions' in run)) return [run]
  const [failure] = run.failures
  if (failure) throw new Error(cleanText(`${failure.source}: ${failure.text}`))
  return run.sessions
}

function matches(finding: Finding, { severity, certainty, args = {} }: FindingFilter): boolean {
  return (severity ?? finding.severity) === finding.severity
    && (certainty ?? finding.certainty) === finding.certainty
    && Object.entries(args).every(([key, value]) => finding.args[key] === value)
}

function tell(finding: Finding): string {
  const { rule, severity, certainty, at, text, related, fix } = finding
  return [
    `${rule} (${severity}, ${certainty}) at ${rowOf(finding)}, line ${at.line}: ${text}`,
    ...related.map(({ seq, why }) => `    seq ${seq}: ${why}`),
    ...(fix === null ? [] : [indent(`what to do: ${fix}`, '    ')]),
  ].join('\n')
}

function indent(text: string, by: string): string {
  return text.split('\n').map((line) => by + line).join('\n')
}
