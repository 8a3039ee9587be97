import { firstAfter } from '../model/ascending.ts'
import { QUESTION_TOOL, SPILL_NOTE } from '../model/questions.ts'
import { programCode, versionsOf, type Call, type CallResult, type ItemAnswer, type Question, type QuestionCall, type Session } from '../model/session.ts'
import type { Fix, ItemVerdict, ProgramVerdict } from '../programs/index.ts'
import { fateInResult, standsBecauseOfAnswer, type Answered, type Fate } from './answer-fate.ts'
import type { FactContext } from './context.ts'
import { Sightings } from './late-answer.ts'
import { occurrencesIn } from '../programs/literal.ts'
import { judgePrograms } from './program-runs.ts'
import { readRun, type RunOutcome } from './run-outcome.ts'
import { restartedAfter, whyUnanswered } from './unanswered.ts'
import type { AnswerState, Certainty, Evidence } from './vocabulary.ts'

/** What became of one question item (`questions[index]` of one call). */
export interface AnswerFact {
  readonly call: QuestionCall
  readonly index: number
  readonly question: Question
  /** Selected labels, then the custom text; empty when none arrived. */
  readonly values: readonly string[]
  readonly state: AnswerState
  readonly certainty: Certainty
  readonly evidence: readonly Evidence[]
  readonly layers: {
    readonly receipt: { readonly seq: number | null; readonly has: boolean }
    /** Null: a native call, or the program could not be judged. */
    readonly program: { readonly returns: boolean | null; readonly logs: boolean | null } | null
    readonly outer: { readonly seq: number | null; readonly has: boolean }
    readonly context: { readonly visibleFrom: number | null; readonly visibleTo: number | null }
  }
  /** The row through which the answer reached the model. */
  readonly deliveredSeq: number | null
  /** `unanswered` and `lost`: why, in the documented words. */
  readonly reason: string | null
  /** Why an aborted wait really ended: deadline · user-typed · turn-cancelled · provider-gone · unknown. */
  readonly cause: string | null
  readonly fix: Fix | null
  /** What the program layer says of this item; null for native calls. */
  readonly verdict: ItemVerdict | null
}

interface Item {
  readonly session: Session
  readonly call: QuestionCall
  readonly index: number
  readonly question: Question
  readonly verdict: ProgramVerdict | null
  /** Its part about this item. */
  readonly own: ItemVerdict | null
  /** Seqs of the model's replies. */
  readonly replies: readonly number[]
  readonly sightings: Sightings
  /** What was answered to all the questions of the same call or program: value → times. */
  readonly said: ReadonlyMap<string, number>
}

/** One entry per element of `questions[]`, in log order. Questions a fork copied belong to the parent and are left out. */
export async function answersFact({ session, programs }: FactContext): Promise<readonly AnswerFact[]> {
  const facts: AnswerFact[] = []
  const asked = session.questions.filter((q) => !q.inherited && q.questions)
  const verdicts = await judgePrograms(new Set(asked.map((q) => q.call)), programs)
  const saidIn = valuesByCall(session.questions)
  const ownOf = new Map(Array.from(verdicts, ([call, verdict]) => [call, itemVerdicts(verdict)]))
  const replies = repliesOf(session)
  const sightings = new Sightings(session, [...saidIn.values()].flatMap((said) => [...said.keys()]))
  for (const call of asked) {
    const verdict = verdicts.get(call.call) ?? null
    const said = saidIn.get(call.call) ?? new Map<string, number>()
    for (const [index, question] of call.questions?.entries() ?? []) facts.push(judgeItem({ session, call, index, question, verdict, own: ownOf.get(call.call)?.get(itemKey(call.dispatch?.subCallId, index)) ?? null, replies, sightings, said }))
  }
  return facts
}

function itemVerdicts(verdict: ProgramVerdict | null): ReadonlyMap<string, ItemVerdict> {
  return new Map(verdict?.items.map((item) => [itemKey(item.subCallId, item.index), item]))
}

function itemKey(subCallId: string | undefined, index: number): string {
  return `${index} ${subCallId}`
}

/** Seqs of the model's replies, ascending. */
export function repliesOf({ turns }: Session): readonly number[] {
  return turns.flatMap((t) => t.steps.flatMap((s) => s.message?.seq ?? []))
}

function valuesByCall(questions: readonly QuestionCall[]): ReadonlyMap<Call, ReadonlyMap<string, number>> {
  const byCall = new Map<Call, Map<string, number>>()
  for (const { call, outcome } of questions) {
    const said = byCall.get(call) ?? new Map<string, number>()
    byCall.set(call, said)
    for (const value of outcome.kind === 'answered' ? outcome.answers.flatMap(valuesOf) : []) said.set(value, (said.get(value) ?? 0) + 1)
  }
  return byCall
}

function judgeItem(item: Item): AnswerFact {
  const { session, call, index, question } = item
  const blank: AnswerFact = {
    call, index, question, values: [], state: 'unanswered', certainty: 'proven', evidence: [],
    layers: { receipt: { seq: call.settledSeq, has: false }, program: null, outer: { seq: call.call.result?.seq ?? null, has: false }, context: { visibleFrom: null, visibleTo: null } },
    deliveredSeq: null, reason: null, cause: null, fix: null, verdict: null,
  }
  if (call.reply) return repliedLater(item, blank)
  if (call.outcome.kind !== 'answered') {
    const { reason, cause, certainty, evidence } = whyUnanswered(session, call)
    return { ...blank, reason, cause, certainty, evidence: [evidence] }
  }
  const answered = readItem(item, answerFor(call.outcome.answers, question, index), call.outcome.complete)
  if (!answered) {
    return { ...blank, reason: 'service-error', certainty: 'possible', evidence: [{ kind: 'code', text: 'the receipt has no entry for this question' }] }
  }
  if (answered.values.length === 0 && answered.complete) {
    return { ...blank, state: 'skipped', evidence: [{ kind: 'fixed-point', text: 'submitted without a choice or a text' }] }
  }
  const seen = { ...blank, values: answered.values, layers: { ...blank.layers, receipt: { seq: call.settledSeq, has: true } } }
  return call.dispatch ? nestedAnswer(item, seen, answered) : nativeAnswer(item, seen, answered)
}

function answerFor(answers: readonly ItemAnswer[], question: Question, index: number): ItemAnswer | null {
  const same = answers[index]
  return same?.id === question.id ? same : (answers.find((a) => a.id === question.id) ?? null)
}

function readItem({ question, said }: Item, answer: ItemAnswer | null, complete: boolean): Answered | null {
  if (!answer) return complete ? null : { values: [], selected: 0, rivals: [], elsewhere: () => 0, complete }
  const values = valuesOf(answer)
  const selected = new Set(answer.selected)
  return {
    values,
    elsewhere: (label) => (said.get(label) ?? 0) - values.filter((v) => v === label).length,
    selected: answer.selected.length,
    rivals: question.options.map((o) => o.label).filter((label) => label !== '' && !selected.has(label)),
    complete,
  }
}

function valuesOf({ selected, custom }: ItemAnswer): readonly string[] {
  return custom === null || custom === '' ? selected : [...selected, custom]
}

/** A timed question whose answer came as a message of its own, whatever the program returned. */
function repliedLater(item: Item, blank: AnswerFact): AnswerFact {
  const { call: { reply }, index, question } = item
  const answered = reply && readItem(item, answerFor(reply.answers, question, index), true)
  if (!reply || !answered || answered.values.length === 0) return { ...blank, state: 'skipped', evidence: [{ kind: 'code', text: 'the late reply holds no choice and no text' }] }
  return {
    ...blank, state: 'late', values: answered.values, deliveredSeq: reply.message.seq,
    evidence: [{ kind: 'code', text: 'the window of the timed question was over; the answer came as a message' }],
    layers: {
      ...blank.layers, receipt: { seq: reply.message.seq, has: true },
      context: { visibleFrom: reply.message.visibility.from, visibleTo: reply.message.visibility.to },
    },
  }
}

/** The result of a native call is the answer itself. */
function nativeAnswer(item: Item, seen: AnswerFact, answered: Answered): AnswerFact {
  const { result } = item.call.call
  if (!result) return seen
  const all = answered.values.map(() => true)
  const fate: Fate = {
    state: 'delivered', certainty: 'proven', literal: all, leaves: false,
    evidence: [{ kind: 'fixed-point', text: 'asked natively: the result is the answer' }],
  }
  return finish(item, seen, result, onSurface(item, result, fate, answered), answered)
}

function nestedAnswer(item: Item, seen: AnswerFact, answered: Answered): AnswerFact {
  const { session, call, verdict, own } = item
  const { result } = call.call
  const judged = { ...seen, verdict: own, layers: { ...seen.layers, program: programLayer(own) } }
  if (!result || result.synthetic !== null) {
    const reason = !result && !restartedAfter(session, call.askedSeq) ? 'pending' : 'interrupted'
    const text = reason === 'pending' ? 'the log ends before the run does' : 'the process ended before the run did'
    const fate: Fate = { state: 'lost', certainty: 'proven', evidence: [{ kind: 'fixed-point', text }], literal: [], leaves: leavesOpenRun(own, call) }
    return { ...finish(item, judged, result, fate, answered), reason }
  }
  const run = readRun(result)
  const later = call.call.dispatches.filter((d) => d.startSeq > (call.settledSeq ?? call.askedSeq))
  const fate = fateInResult(run, answered, own, programCode(call.call) ?? '', later)
  const surfaced = onSurface(item, result, spilled(fate, run, answered), answered)
  const fact = finish(item, judged, result, surfaced, answered)
  return {
    ...fact,
    evidence: verdict && !verdict.replay.valid && fact.certainty !== 'proven' ? [...fact.evidence, { kind: 'replay', text: `no replay: ${verdict.replay.because}` }] : fact.evidence,
    reason: fact.state === 'lost' ? run.failure : null,
    fix: fact.state === 'delivered' || fact.state === 'evicted' ? null : (own?.fix ?? null),
  }
}

function leavesOpenRun(own: ItemVerdict | null, call: QuestionCall): boolean {
  return (own?.flow?.selected.calls.length ?? 0) + (own?.flow?.custom.calls.length ?? 0) > 0
    || (own?.flow === null && call.call.dispatches.some((d) => d.startSeq > (call.settledSeq ?? call.askedSeq) && d.name !== QUESTION_TOOL))
}

function programLayer(own: ItemVerdict | null): AnswerFact['layers']['program'] {
  if (own?.replay && !own.replay.outerDepends) return { returns: false, logs: false }
  if (!own?.flow) return null
  const { selected, custom } = own.flow
  return { returns: selected.returns !== 'none' || custom.returns !== 'none', logs: selected.logs !== 'none' || custom.logs !== 'none' }
}

// --- surface ---------------------------------------------------------------------------------------------------

/** A spill cut the middle out: what can stand there and is not in the rest was cut, unless nothing carries it. */
function spilled(fate: Fate, { omittedBytes }: RunOutcome, answered: Answered): Fate {
  if (omittedBytes === 0 || fate.evidence.some((e) => e.kind === 'replay')) return fate
  const open = fate.state === 'derived' || (fate.state === 'dropped' && fate.certainty !== 'proven') || (fate.state === 'partial' && !answered.complete)
  if (!open) return fate
  return { ...fate, state: 'truncated', certainty: fate.state === 'dropped' ? 'possible' : 'likely', evidence: [...fate.evidence, { kind: 'surface', text: `${omittedBytes} bytes of the result were left out by a spill` }] }
}

/** The text the model could read when it was asked next; null: the result was gone before. */
function readNext({ replies }: Item, result: CallResult): string | null {
  const read = firstAfter(replies, result.seq) ?? Infinity
  const version = versionsOf(result).findLast((v) => v.from < read)
  return version && (version.to === null || version.to > read) ? version.text.value : null
}

/** What stands in the complete result can be cut (spill, prune) or gone (compaction) before the next request. */
function onSurface(item: Item, result: CallResult, fate: Fate, answered: Answered): Fate {
  if (fate.state !== 'delivered' && fate.state !== 'partial') return fate
  const text = readNext(item, result)
  if (text === null) {
    return fate.state === 'partial' ? fate : { ...fate, state: 'evicted', evidence: [...fate.evidence, { kind: 'surface', text: 'a compaction replaced the result before the next request' }] }
  }
  if (text === result.text.value && !SPILL_NOTE.test(text)) return fate
  const visible = standsBecauseOfAnswer(occurrencesIn(text), answered, true)
  const literal = fate.literal.map((l, i) => l && visible[i] === true)
  if (literal.every((l, i) => l === fate.literal[i]) && answered.complete) return fate
  const state = literal.some(Boolean) && answered.complete ? 'partial' : 'truncated'
  return { ...fate, state, literal, evidence: [...fate.evidence, { kind: 'surface', text: 'cut out of the text the model could read (spilled or pruned)' }] }
}

/** Fills in what follows from the fate: rows, layers, and whether the answer became visible later after all. */
function finish({ sightings }: Item, seen: AnswerFact, result: CallResult | null, fate: Fate, answered: Answered): AnswerFact {
  const reached = fate.state === 'delivered' || fate.state === 'partial' || fate.state === 'derived' || fate.state === 'evicted'
  const shown = reached ? result : null
  const fact: AnswerFact = {
    ...seen, state: fate.state, certainty: fate.certainty, evidence: fate.evidence,
    layers: {
      ...seen.layers,
      outer: { seq: result?.seq ?? null, has: fate.literal.some(Boolean) },
      context: { visibleFrom: shown?.from ?? null, visibleTo: shown?.to ?? null },
    },
    deliveredSeq: reached ? (result?.seq ?? null) : null,
  }
  const late = reached ? null : sightings.first(seen.call, fate, answered)
  if (!late) return fact
  return {
    ...fact, state: 'late', certainty: late.certainty, evidence: [...fate.evidence, late.evidence], deliveredSeq: late.seq,
    layers: { ...fact.layers, context: { visibleFrom: late.visibility.from, visibleTo: late.visibility.to } },
  }
}
