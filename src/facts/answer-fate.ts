/**
 * What the result of one call shows of one answered item. Evidence in order of strength: sealed replay, data flow,
 * fixed points (no output, a failed run), literal search. Surface effects and later rows are judged elsewhere.
 */
import { QUESTION_TOOL } from '../model/questions.ts'
import type { Dispatch } from '../model/session.ts'
import type { How, ItemVerdict, Reach } from '../programs/index.ts'
import { occurrencesIn, type Occurrences } from '../programs/literal.ts'
import type { RunOutcome } from './run-outcome.ts'
import type { AnswerState, Certainty, Evidence } from './vocabulary.ts'

export interface Answered {
  /** Selected labels, then the custom text. */
  readonly values: readonly string[]
  /** How many of them are selected labels. */
  readonly selected: number
  /** Offered labels that were not selected. */
  readonly rivals: readonly string[]
  /** How often it was answered to the other items of the same program. */
  readonly elsewhere: (label: string) => number
  /** False: the receipt was spilled, so a value may be a piece of the real one or missing. */
  readonly complete: boolean
}

export interface Fate {
  readonly state: AnswerState
  readonly certainty: Certainty
  readonly evidence: readonly Evidence[]
  /** Per value: it stands in the text because of the answer. */
  readonly literal: readonly boolean[]
  /** It may have left the program through a later nested call. */
  readonly leaves: boolean
}

/** Texts that stand for "nothing": the value went in, and this came out. */
const HOLLOW = /^(?:undefined|null|NaN|\{\}|\[\]|\[object \w+\]|Promise \{ <pending> \}|None)?$/
/** Shorter values are parts of any other word. */
const DISTINCT = 4
/** Of a value that is only known in part this much is searched. */
const HEAD = 200

/**
 * Per value: it stands in the text, and not only as one entry of a list of all labels that the program prints in any case.
 * `anywhere`: longer values also as a part of a word.
 */
export function standsBecauseOfAnswer(text: Occurrences, answered: Answered, anywhere = false): boolean[] {
  const { values, selected, rivals, elsewhere } = answered
  const echoed = (rival: string): number => text.count(rival, [...rivals, ...values]) - elsewhere(rival)
  return values.map((full, i) => {
    const value = searchedFor(full, answered)
    const count = text.count(value, [...rivals, ...values])
    if (count === 0) return anywhere && value.length >= DISTINCT && text.countAnywhere(value) > 0
    const isLabel = i < selected
    return !isLabel || rivals.length === 0 || rivals.some((r) => echoed(r) < count)
  })
}

/** What is searched of a value. */
export function searchedFor(value: string, { complete }: Answered): string {
  return complete ? value : value.slice(0, HEAD)
}

/** `later` are the nested calls that started after the answer. */
export function fateInResult(run: RunOutcome, answered: Answered, verdict: ItemVerdict | null, code: string, later: readonly Dispatch[]): Fate {
  const { replay, flow } = verdict ?? { replay: null, flow: null }
  const reach = flow ? reachOf(flow, answered) : null
  if (replay) return replayedFate(run, replay, reach)
  const outer = reach ? strongest([reach.returns, reach.logs, ...(run.failure === null ? [] : [reach.throws])]) : null
  const stands = (text: string): boolean => standsBecauseOfAnswer(occurrencesIn(text), answered, true).some(Boolean)
  const inArguments = later.some((d) => stands(d.arguments.value))
  const leaves = reach ? reach.calls.length > 0 : inArguments
  const literal = standsBecauseOfAnswer(occurrencesIn(run.text), answered, outer === 'value')
  const none = answered.values.map(() => false)
  const unseen = (because: Evidence, certainty: Certainty): Fate => leaves
    ? { state: 'consumed', certainty: inArguments && certainty === 'proven' ? 'likely' : 'possible', evidence: [because, consumedBy(inArguments)], literal: none, leaves }
    : { state: 'dropped', certainty, evidence: [because], literal: none, leaves }
  const seen = (certainty: Certainty, ...evidence: Evidence[]): Fate =>
    ({ state: literal.every(Boolean) && answered.complete ? 'delivered' : 'partial', certainty, evidence, literal, leaves })
  const found: Evidence = { kind: 'literal', text: `${literal.filter(Boolean).length} of ${literal.length} values stand in the result` }

  if (run.failure !== null) {
    if (outer !== 'none' && literal.some(Boolean)) return seen(outer === 'value' ? 'likely' : 'possible', found)
    return { state: 'lost', certainty: outer === 'value' ? 'likely' : 'proven', evidence: [{ kind: 'fixed-point', text: `the run failed (${run.failure}) and its text does not hold the answer` }], literal: none, leaves }
  }
  if (run.silent) return unseen({ kind: 'fixed-point', text: 'the program printed and returned nothing' }, outer === 'choice' ? 'likely' : 'proven')
  if (outer === 'none' && literal.some(Boolean) && inArguments && later.some((d) => d.name !== QUESTION_TOOL && d.receipt !== null && stands(d.receipt.text.value))) {
    return seen('possible', found, { kind: 'literal', text: 'a later nested call was given it and another one shows it' })
  }
  // A value that stands there nevertheless contradicts: the text has it from elsewhere, or the analysis missed a way.
  if (outer === 'none') return unseen({ kind: 'dataflow', text: noWayOut(flow?.floating === true) }, literal.some(Boolean) ? 'possible' : 'proven')
  if (literal.some(Boolean)) {
    if (outer === null) {
      if (isConstant(run.text, code, answered)) return unseen({ kind: 'literal', text: 'the whole result is a text of the program' }, 'possible')
      return seen('possible', found)
    }
    return seen(outer === 'value' ? 'likely' : 'possible', found, flowEvidence(outer))
  }
  if (outer === null) {
    return unseen({ kind: 'literal', text: 'no value stands in the result; the program could not be analysed' }, 'possible')
  }
  if (inArguments) return unseen({ kind: 'literal', text: 'no value stands in the result' }, 'possible')
  if (HOLLOW.test(run.text.trim())) return unseen({ kind: 'fixed-point', text: `the result is only "${run.text.trim()}"` }, 'possible')
  return { state: 'derived', certainty: outer === 'choice' ? 'likely' : 'possible', evidence: [flowEvidence(outer), { kind: 'literal', text: 'no value stands in the result' }], literal: none, leaves }
}

function replayedFate(run: RunOutcome, replay: NonNullable<ItemVerdict['replay']>, reach: Reach | null): Fate {
  // Another kind of answer (a text instead of a label) would have been heard: the program has a way, this answer did not take it.
  const openWay = (replay.fate === 'dropped' || replay.fate === 'consumed') && (replay.outerDependsOnKind || (replay.fate === 'dropped' && replay.callsDependOnKind))
  const certainty: Certainty = replay.assumedResults || openWay ? 'likely' : 'proven'
  const shown = replay.fate === 'delivered' || replay.fate === 'partial'
  const base = { certainty, literal: shown ? replay.valuesLiteral : replay.valuesLiteral.map(() => false), leaves: replay.callsDepend || replay.callsDependOnKind }
  const runs = `${replay.runs} sealed run${replay.runs === 1 ? '' : 's'} with another answer`
  // A failure that only happens because of the answer tells nothing of it; a message or a log made from it does.
  const told = replay.fate === 'derived' && (reach?.throws === 'value' || reach?.logs === 'value')
  if (run.failure !== null && !shown && !told) {
    return { ...base, state: 'lost', evidence: [{ kind: 'fixed-point', text: `the run failed (${run.failure})` }, { kind: 'replay', text: `${runs}: no value ever stands in its text` }] }
  }
  const what = {
    delivered: 'every value in the result changes with the answer',
    partial: 'some values stand in the result because of the answer, others do not',
    derived: 'the result changes, but no value stands in it',
    consumed: 'the result stays the same, later nested calls change',
    dropped: 'nothing changes',
  }[replay.fate]
  return { ...base, state: replay.fate, evidence: [{ kind: 'replay', text: `${runs}: ${what}` }] }
}

/** Every line of the result stands in the program, and none of them is a value. */
function isConstant(text: string, code: string, { values }: Answered): boolean {
  return text.split('\n').every((line) => !values.includes(line) && code.includes(line))
}

function reachOf(flow: NonNullable<ItemVerdict['flow']>, { selected, values }: Answered): Reach {
  const reaches = [...(selected > 0 ? [flow.selected] : []), ...(values.length > selected ? [flow.custom] : [])]
  const parts = reaches.length > 0 ? reaches : [flow.selected, flow.custom]
  return {
    returns: strongest(parts.map((r) => r.returns)),
    logs: strongest(parts.map((r) => r.logs)),
    throws: strongest(parts.map((r) => r.throws)),
    calls: parts.flatMap((r) => r.calls),
  }
}

function strongest(hows: readonly How[]): How {
  return hows.includes('value') ? 'value' : hows.includes('choice') ? 'choice' : 'none'
}

function flowEvidence(how: How): Evidence {
  return { kind: 'dataflow', text: how === 'value' ? 'the awaited value reaches the output' : 'the awaited value only decides what is put out' }
}

function noWayOut(floating: boolean): string {
  return floating ? 'the question is never awaited' : 'the awaited value reaches neither the return value nor the logs'
}

function consumedBy(inArguments: boolean): Evidence {
  return inArguments
    ? { kind: 'literal', text: 'a value stands in the arguments of a later nested call' }
    : { kind: 'dataflow', text: 'the awaited value reaches later nested calls' }
}
