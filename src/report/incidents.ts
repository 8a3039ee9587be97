/**
 * Links findings by cause: unguarded question → undelivered answer → idle rounds that wait for it → what they cost.
 * The two root causes (the program kept the answer; nothing forbade asking) are independent and both named.
 */
import type { AnswerFact } from '../facts/answers.ts'
import type { RoundFact } from '../facts/rounds.ts'
import { between, firstIndex, lastUpTo } from '../model/ascending.ts'
import { isRecord } from '../model/canonical.ts'
import { groupBy } from '../group.ts'
import type { Finding, Incident } from './schema.ts'

const ANSWER_RULES = new Set(['dropped-answer', 'partial-answer', 'lost-answer', 'truncated-answer', 'evicted-answer', 'consumed-answer', 'late-answer'])
/** Rules that can start an idle stretch, besides the answer rules. */
const CAUSE_RULES = new Set([
  'unguarded-question', 'refused-goal-update', 'missing-goal-tool', 'hidden-question-tool', 'missing-question-tool', 'swallowed-denial',
  'gap-in-guard', 'ignored-denial', 'aborted-question', 'pending-question', 'rejected-question',
])
/** Rules that say how it went on. */
const EFFECT_RULES = new Set([
  'idle-rounds', 'unreported-blocker', 'round-cap', 'stalled-goal', 'call-cycle', 'laundered-repetition', 'absent-repeat-guard', 'ignored-reminder',
])

const GUARD_ACTION = 'Mount a guard that denies ask_user_question in goal rounds (ctx.tools.guard), with a reason that points to update_goal(blocked).'

/** Incidents of one session, in log order of their inflection. `findings` carry their final ids. */
export function linkIncidents(findings: readonly Finding[], answers: readonly AnswerFact[], rounds: readonly RoundFact[]): Incident[] {
  const own = rounds.filter((r) => !r.round.inherited)
  const answersAt = byRow(answers)
  const incidents: Linked[] = []
  const telling = tellingOf(findings)
  const streaks = findings.filter((f) => f.rule === 'idle-rounds' && f.severity !== 'info')
  for (const [, group] of groupBy(streaks, (f) => `${goalAt(own, f)}\n${plain(f.args['waitsFor'])}`)) incidents.push(spinning(group, telling, answersAt, own))
  const linked = new Set(incidents.flatMap((i) => i.linked))
  const faults = findings.filter((f) => ANSWER_RULES.has(f.rule) && f.severity !== 'info' && !linked.has(f))
  if (faults.length > 0) incidents.push(unheard(faults, findings, answersAt))
  const told = new Set(incidents.flatMap((i) => i.linked))
  for (const f of findings) if (f.severity === 'error' && !told.has(f)) incidents.push(lone(f))
  return incidents
    .toSorted((a, b) => a.inflection.seq - b.inflection.seq)
    .map(({ linked: chain, ...incident }) => ({ ...incident, chain: chain.toSorted((a, b) => a.at.seq - b.at.seq).map((f) => link(f, answersAt, own)) }))
}

/** Findings that can be part of an incident with idle rounds. */
interface Telling {
  readonly causes: readonly Finding[]
  /** By goal; those that name none may be effects in any. Each with its place among all findings. */
  readonly effects: ReadonlyMap<unknown, readonly { readonly f: Finding; readonly at: number }[]>
}

function tellingOf(findings: readonly Finding[]): Telling {
  const grave = findings.map((f, at) => ({ f, at })).filter(({ f }) => f.severity !== 'info')
  return {
    causes: grave.filter(({ f }) => CAUSE_RULES.has(f.rule) || ANSWER_RULES.has(f.rule)).map(({ f }) => f),
    effects: groupBy(grave.filter(({ f }) => EFFECT_RULES.has(f.rule)), ({ f }) => f.args['goalId']),
  }
}

interface Linked extends Omit<Incident, 'chain'> {
  readonly linked: readonly Finding[]
}

/** The clause of a finding inside the story; rules that are not named here speak with their own text. */
const CLAUSES: Readonly<Record<string, (f: Finding, answer: AnswerFact | undefined) => string>> = {
  'unguarded-question': (_f, answer) => `asked ${nameOf(answer)} in an autonomous round; no guard stopped it`,
  'dropped-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; the program passed nothing of it on`,
  'partial-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; the program passed only a part on`,
  'consumed-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; only later calls of the program saw it`,
  'lost-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; then the run failed${answer?.reason ? ` (${answer.reason})` : ''}`,
  'truncated-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; it was cut out of the result`,
  'evicted-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; a compaction took the result away`,
  'late-answer': (_f, answer) => `the human answered ${valuesOf(answer)}; the model saw it only at seq ${answer?.deliveredSeq ?? '?'}`,
  'idle-rounds': (f) => `${plain(f.args['count'])} rounds got nowhere${kindsOf(f)}`,
  'unreported-blocker': () => 'the goal was never reported as blocked',
  'round-cap': (f) => `the ${plain(f.args['cap'])} rounds of the goal were used up`,
}

function link(f: Finding, answersAt: AnswersAt, rounds: readonly RoundFact[]): Incident['chain'][number] {
  const clause = CLAUSES[f.rule]
  const [answer] = answersOf(f, answersAt)
  const at = f.toSeq === null ? lastUpTo(rounds, (r) => r.round.fromSeq, f.at.seq) : undefined
  const round = at && f.at.seq <= at.round.toSeq ? at : undefined
  return {
    finding: f.id, seq: f.at.seq, toSeq: f.toSeq, line: f.at.line, turn: f.at.turn, round: round?.round.round ?? null,
    text: clause ? clause(f, answer) : f.text,
  }
}

function nameOf(answer: AnswerFact | undefined): string {
  return answer ? `"${answer.question.id || answer.question.question}"` : 'a question'
}

function valuesOf(answer: AnswerFact | undefined): string {
  return answer ? `${nameOf(answer)} with ${answer.values.map((v) => `"${v.length > 40 ? `${v.slice(0, 39)}…` : v}"`).join(', ') || 'nothing'}` : 'it'
}

/** An argument that is a word or a number. */
function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function kindsOf(f: Finding): string {
  const { kinds } = f.args
  return isRecord(kinds) ? ` (${Object.entries(kinds).map(([kind, n]) => `${plain(n)} ${kind}`).join(', ')})` : ''
}

function spinning(streaks: readonly Finding[], telling: Telling, answersAt: AnswersAt, rounds: readonly RoundFact[]): Linked {
  const ends = streaks.map((s) => ({ from: s.at.seq, to: s.toSeq ?? s.at.seq }))
  const from = ends.reduce((least, e) => Math.min(least, e.from), Infinity)
  const to = ends.reduce((most, e) => Math.max(most, e.to), 0)
  const own = new Set(streaks)
  const waitsFor = streaks[0]?.args['waitsFor']
  const goalId = streaks[0]?.args['goalId']
  const before = telling.causes.filter((f) => f.at.seq <= to)
  const unheardAnswers = waitsFor === 'undelivered-answer' ? before.filter((f) => ANSWER_RULES.has(f.rule) && f.at.seq <= from + 1) : []
  const asked = unheardAnswers.flatMap((f) => answersOf(f, answersAt))
  const concerned = new Set(asked)
  const causes = [
    ...before.filter((f) => CAUSE_RULES.has(f.rule) && (concerns(f, concerned, answersAt) || f.rule !== 'unguarded-question' || waitsFor === 'human-decision')),
    ...unheardAnswers,
  ].toSorted((a, b) => a.at.seq - b.at.seq)
  const effects = [...(telling.effects.get(goalId) ?? []), ...(goalId === undefined ? [] : (telling.effects.get(undefined) ?? []))]
    .filter(({ f }) => (f.toSeq ?? f.at.seq) >= from && (f.rule !== 'idle-rounds' || own.has(f)))
    .toSorted((a, b) => a.at - b.at)
    .map(({ f }) => f)
  const idle = [...new Set(ends.flatMap((e) => between(rounds, (r) => r.round.fromSeq, e.from - 1, e.to + 1)))].filter((r) => r.state === 'idle')
  const first = unheardAnswers[0] ?? streaks[0]
  const total = rounds.length
  const spun = `${idle.length} of ${count(total, 'goal round')} spun idle`
  const headline = unheardAnswers.length > 0
    ? `${count(asked.length || unheardAnswers.length, 'answer')} never reached the model; ${spun} waiting for ${unheardAnswers.length > 1 ? 'them' : 'it'}`
    : `${spun}${waitingWords(waitsFor)}`
  return {
    headline,
    causes: causes.map((f) => f.id),
    effects: effects.map((f) => f.id),
    linked: [...causes, ...effects],
    inflection: { turn: first?.at.turn ?? null, seq: first?.at.seq ?? from },
    cost: {
      rounds: idle.length,
      ms: sum(idle, (r) => r.ms),
      inputTokens: sum(idle, (r) => r.tokens.input),
      outputTokens: sum(idle, (r) => r.tokens.output),
    },
    actions: actionsFor([...causes, ...effects], asked),
  }
}

function unheard(faults: readonly Finding[], findings: readonly Finding[], answersAt: AnswersAt): Linked {
  const asked = faults.flatMap((f) => answersOf(f, answersAt))
  const concerned = new Set(asked)
  const faulty = new Set(faults)
  const causes = findings.filter((f) => faulty.has(f) || (f.rule === 'unguarded-question' && concerns(f, concerned, answersAt)))
  const [first] = faults
  const names = asked.map((a) => `"${a.question.id || a.question.question}"`)
  const which = names.length === 1 ? `The answer to ${names[0]}` : names.length > 1 && names.length <= 3 ? `The answers to ${names.join(', ')}` : count(asked.length || faults.length, 'answer')
  return {
    headline: `${which} ${faultWords(faults)}`,
    causes: causes.map((f) => f.id),
    effects: [],
    linked: causes,
    inflection: { turn: first?.at.turn ?? null, seq: first?.at.seq ?? 0 },
    cost: { rounds: 0, ms: 0, inputTokens: 0, outputTokens: 0 },
    actions: actionsFor(causes, asked),
  }
}

function lone(f: Finding): Linked {
  return {
    headline: f.text, causes: [f.id], effects: [], linked: [f], inflection: { turn: f.at.turn, seq: f.at.seq },
    cost: { rounds: 0, ms: 0, inputTokens: 0, outputTokens: 0 }, actions: f.fix === null ? [] : [f.fix],
  }
}

/** What gets the run going again, then the program, then the guard, then what the other rules advise; each once. */
function actionsFor(findings: readonly Finding[], asked: readonly AnswerFact[]): string[] {
  const programs = asked.flatMap((a) => (a.fix ? [`Let the program of ${a.call.call.callId} pass the answer on, line ${a.fix.line}: ${a.fix.after.trim().replace(/(?<!\s);?\s*\n\s*/g, '; ')}`] : []))
  const program = asked.length > 0 && programs.length === 0 ? ['Let the program return what the human answered (return await tools.ask_user_question(…)).'] : programs
  const both = program.length > 0 ? ' The mended program alone leaves this fault in place, and the guard the other.' : ''
  const guard = findings.some((f) => f.rule === 'unguarded-question') ? [`${GUARD_ACTION}${both}`] : []
  const advised = (wanted: (rule: string) => boolean): string[] => findings.flatMap((f) => (f.fix !== null && wanted(f.rule) ? [f.fix] : []))
  const now = advised((rule) => rule === 'idle-rounds')
  return [...new Set([...now, ...program, ...guard, ...advised((rule) => !ANSWER_RULES.has(rule) && rule !== 'unguarded-question')])]
}

function waitingWords(waitsFor: unknown): string {
  if (waitsFor === 'human-decision') return ', waiting for a human to decide'
  if (waitsFor === 'refused-goal-update') return ' after the goal tool refused to end the goal'
  if (waitsFor === 'missing-tool') return ' without the tool they needed'
  if (waitsFor === 'external-job') return ', waiting for something outside'
  return ''
}

function faultWords(faults: readonly Finding[]): string {
  const only = (rule: string): boolean => faults.every((f) => f.rule === rule)
  if (only('partial-answer')) return 'reached the model only in part'
  if (only('late-answer')) return 'reached the model late'
  if (only('truncated-answer')) return 'was cut out of what the model could read'
  if (only('evicted-answer')) return 'was compacted away before the model could read it'
  return 'never reached the model'
}

/** Answers by the rows a finding about them can stand at (the call, the question, its receipt, its outer result), and by row and item. */
type AnswersAt = ReadonlyMap<string, readonly AnswerFact[]>

function byRow(answers: readonly AnswerFact[]): AnswersAt {
  const places = answers.flatMap((a) => Array.from(new Set([a.call.askedSeq, a.call.settledSeq, a.call.call.seq, a.layers.outer.seq]), (seq) => ({ a, seq })))
  return new Map(Array.from(groupBy(
    places.flatMap(({ a, seq }) => [{ a, key: `${seq}` }, { a, key: itemKey(seq, a.question.id, a.call.dispatch?.subCallId) }]), ({ key }) => key,
  ), ([key, found]) => [key, found.map(({ a }) => a)]))
}

/** The answers a finding speaks of. */
function answersOf(f: Finding, answersAt: AnswersAt): readonly AnswerFact[] {
  return answersAt.get(itemKey(f.at.seq, f.args['questionId'], f.args['subCallId'])) ?? answersAt.get(`${f.at.seq}`) ?? []
}

function itemKey(seq: number | null, questionId: unknown, subCallId: unknown): string {
  return JSON.stringify([seq, questionId, subCallId ?? null])
}

function concerns(f: Finding, asked: ReadonlySet<AnswerFact>, answersAt: AnswersAt): boolean {
  return (answersAt.get(`${f.at.seq}`) ?? []).some((a) => asked.has(a))
}

function goalAt(rounds: readonly RoundFact[], f: Finding): string {
  const round = rounds[firstIndex(rounds.length, (i) => (rounds[i]?.round.toSeq ?? 0) >= f.at.seq)]?.round
  return round && round.queuedSeq <= (f.toSeq ?? f.at.seq) ? round.goalId : ''
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
