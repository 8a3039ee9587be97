/** Session + facts + what the rules said → the plain report object. */
import type { AnswerFact } from '../facts/answers.ts'
import type { GuardFacts } from '../facts/guards.ts'
import type { RoundFact } from '../facts/rounds.ts'
import type { Json, Severity } from '../facts/vocabulary.ts'
import { groupBy } from '../group.ts'
import type { Goal, Session } from '../model/session.ts'
import type { Reported, Rule, RuleArgs } from '../rules/define.ts'
import { delegationsOf, linkFamilies } from './family.ts'
import { fingerprint } from './fingerprint.ts'
import { linkIncidents } from './incidents.ts'
import { SCHEMA_VERSION, type AnswerReport, type Failure, type Finding, type GoalReport, type Report, type RoundReport, type SessionReport } from './schema.ts'

export interface RuleFinding {
  readonly rule: Rule
  readonly severity: Severity
  readonly finding: Reported<RuleArgs> & { readonly text: string }
}

export interface Judged {
  readonly session: Session
  readonly answers: readonly AnswerFact[]
  readonly rounds: readonly RoundFact[]
  readonly guardsWorked: GuardFacts['worked']
  readonly findings: readonly RuleFinding[]
  readonly notEvaluated: readonly { readonly rule: string; readonly because: string }[]
  /** Ids of the rules that ran. */
  readonly checked: readonly string[]
}

export function assembleSession(judged: Judged): SessionReport {
  const { session } = judged
  const findings = orderFindings(judged.findings)
  const rounds = judged.rounds.map(roundReport)
  const { header } = session
  const lastTurn = session.turns.at(-1)
  return {
    source: session.source,
    id: header.id,
    format: header.version,
    generation: session.generation,
    agentPreset: header.agentPreset,
    cwd: header.cwd,
    model: session.requestHeaders.at(-1)?.model ?? null,
    parent: header.parentSession === null ? null : { id: header.parentSession, kind: header.origin === 'subagent' ? 'subagent' : 'fork' },
    label: session.descriptor !== null && session.descriptor.seq >= session.inheritedBefore ? session.descriptor.label : null,
    createdAt: header.createdAt,
    verdict: verdictOf(findings),
    span: {
      fromSeq: session.firstSeq, toSeq: session.lastSeq, startedAt: session.startTime, endedAt: session.endTime,
      openTail: lastTurn !== undefined && lastTurn.end === null,
    },
    counts: {
      events: session.events,
      turns: session.turns.filter((t) => !t.inherited).length,
      calls: session.calls.filter((c) => !c.inherited).length,
      dispatches: session.calls.reduce((n, c) => n + (c.inherited ? 0 : c.dispatches.length), 0),
      bytes: session.bytes,
    },
    tools: toolCounts(session),
    delegations: delegationsOf(session),
    guardsWorked: judged.guardsWorked.map(({ denial, goalId, endSeq, end }) => ({ seq: denial.question.askedSeq, round: denial.question.round?.round ?? null, goalId, endSeq, end })),
    answers: judged.answers.map(answerReport),
    goals: goalReports(session, judged.rounds),
    rounds,
    incidents: linkIncidents(findings, judged.answers, judged.rounds),
    findings,
    accepted: [],
    notEvaluated: judged.notEvaluated.map((n) => ({ ...n })),
    checked: [...judged.checked],
    issues: session.issues.map((i) => ({ ...i })),
  }
}

/** Goals that have something of their own: a parent's goals are told in its report. */
function goalReports({ goals }: Session, rounds: readonly RoundFact[]): GoalReport[] {
  const own = groupBy(rounds.filter((r) => !r.round.inherited), (r) => r.round.goalId)
  return goals.filter((g) => own.has(g.id) || !g.changes.every((c) => c.inherited)).map((g) => goalReport(g, own.get(g.id) ?? []))
}

export function verdictOf(findings: readonly Finding[]): SessionReport['verdict'] {
  return findings.some((f) => f.severity === 'error') ? 'sick' : findings.some((f) => f.severity === 'warning') ? 'suspect' : 'healthy'
}

/** By seq, then rule id, then text: a total order, so that the same log gives the same bytes. */
function orderFindings(found: readonly RuleFinding[]): Finding[] {
  const ordered = found.toSorted((a, b) =>
    a.finding.at.seq - b.finding.at.seq || compare(a.rule.id, b.rule.id) || compare(a.finding.text, b.finding.text))
  const seen = new Map<string, number>()
  return ordered.map(({ rule, finding, severity }, i) => {
    const first = fingerprint(rule.id, finding.args, 0)
    const nth = seen.get(first) ?? 0
    seen.set(first, nth + 1)
    return {
      id: `f${i + 1}`,
      rule: rule.id,
      severity,
      certainty: finding.certainty,
      text: finding.text,
      args: plain(finding.args),
      at: { seq: finding.at.seq, line: finding.at.line, turn: finding.at.turn ?? null, step: finding.at.step ?? null },
      toSeq: finding.toSeq ?? null,
      related: (finding.related ?? []).map((r) => ({ ...r })),
      fix: finding.fix ?? null,
      fingerprint: nth === 0 ? first : fingerprint(rule.id, finding.args, nth),
    }
  })
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function plain(args: RuleArgs): Record<string, Json> {
  const out: Record<string, Json> = {}
  for (const [key, value] of Object.entries(args)) if (value !== undefined) out[key] = value
  return out
}

export function answerReport(a: AnswerFact): AnswerReport {
  const { call, dispatch, round } = a.call
  return {
    questionId: a.question.id, question: a.question.question, options: a.question.options.map((o) => o.label),
    turn: call.turn, step: call.step, goalRound: round?.round ?? null,
    callId: call.callId, subCallId: dispatch?.subCallId ?? null,
    askedSeq: a.call.askedSeq, settledSeq: a.call.settledSeq, outerSeq: call.result?.seq ?? null,
    waitMs: a.call.settledTime === null ? null : Math.max(0, a.call.settledTime - a.call.askedTime),
    values: [...a.values], state: a.state, certainty: a.certainty, evidence: a.evidence.map((e) => ({ ...e })),
    layers: {
      receipt: { ...a.layers.receipt },
      program: a.layers.program === null ? null : { ...a.layers.program },
      outer: { ...a.layers.outer },
      context: { ...a.layers.context },
    },
    deliveredSeq: a.deliveredSeq, reason: a.reason, cause: a.cause,
    fix: a.fix === null ? null : { text: 'Pass the answer on to the model.', line: a.fix.line, before: a.fix.before, after: a.fix.after, verified: a.fix.verified },
  }
}

function roundReport(r: RoundFact): RoundReport {
  return {
    goalId: r.round.goalId, round: r.round.round, turn: r.round.turn, fromSeq: r.round.fromSeq, toSeq: r.round.toSeq,
    state: r.state, certainty: r.certainty, kind: r.kind, inherited: r.round.inherited, why: [...r.why], tokens: { ...r.tokens }, ms: r.ms,
  }
}

function goalReport(goal: Goal, rounds: readonly RoundFact[]): GoalReport {
  const ended = goal.changes.findLast((c) => c.goal === null || c.goal.phase === 'complete' || c.goal.phase === 'blocked')
  return {
    id: goal.id, objective: goal.objective, phase: goal.cleared ? 'cleared' : goal.phase, blockedReason: goal.blockedReason,
    rounds: rounds.length, cap: goal.cap, idleRounds: rounds.filter((r) => r.state === 'idle').length,
    cost: {
      ms: rounds.reduce((n, r) => n + r.ms, 0),
      inputTokens: rounds.reduce((n, r) => n + r.tokens.input, 0),
      outputTokens: rounds.reduce((n, r) => n + r.tokens.output, 0),
    },
    createdSeq: goal.createdSeq, endedSeq: ended?.seq ?? null,
  }
}

/** Native and nested calls by tool; of a program, the calls it made count beside `run_code` itself. */
function toolCounts(session: Session): SessionReport['tools'] {
  const counts = new Map<string, number>()
  for (const call of session.calls) {
    if (call.inherited) continue
    for (const { name } of [call, ...call.dispatches]) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, calls]) => ({ name, calls })).toSorted((a, b) => compare(a.name, b.name))
}

/** The whole report over what could be analysed and what could not. */
export function assembleReport(version: string, sessions: readonly SessionReport[], failures: readonly Failure[], rules: readonly Rule[]): Report {
  const found = new Set(sessions.flatMap((s) => s.findings.map((f) => f.rule)))
  return {
    schemaVersion: SCHEMA_VERSION,
    tool: { name: 'dsh-inquest', version },
    summary: summarise(sessions),
    sessions: linkFamilies(sessions),
    failures: orderFailures(failures),
    rules: rules.filter(({ id }) => found.has(id))
      .map(({ id, family, severity, docs }) => ({ id, family, severity, what: docs.what, fix: docs.fix }))
      .toSorted((a, b) => compare(a.id, b.id)),
    check: null,
    shard: null,
  }
}

export function summarise(sessions: readonly SessionReport[]): Report['summary'] {
  const findings = { error: 0, warning: 0, info: 0 }
  const answers: Report['summary']['answers'] = {}
  const rounds = { progress: 0, idle: 0, waiting: 0 }
  for (const s of sessions) {
    for (const f of s.findings) findings[f.severity] += 1
    for (const a of s.answers) answers[a.state] = (answers[a.state] ?? 0) + 1
    for (const r of s.rounds) if (!r.inherited) rounds[r.state] += 1
  }
  const verdict = sessions.length === 0 ? 'unreadable' : findings.error > 0 ? 'sick' : findings.warning > 0 ? 'suspect' : 'healthy'
  return { sessions: sessions.length, verdict, findings, answers, rounds }
}

/** By source, each once: one order for a whole run and for the merged parts of it. */
export function orderFailures(failures: readonly Failure[]): Failure[] {
  const byKey = new Map(failures.map((f) => [JSON.stringify([f.source, f.rule ?? '', f.code, f.text]), f]))
  return [...byKey].toSorted(([a], [b]) => compare(a, b)).map(([, failure]) => failure)
}
