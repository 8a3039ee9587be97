/**
 * An answer that its own result did not carry can become visible later: a result reads back what the program stored,
 * or the human says it again. Assistant texts are never evidence: a model may guess.
 */
import { isRecord, tryJson } from '../model/canonical.ts'
import { groupBy } from '../group.ts'
import { programCode, spokenMessages, type Call, type CallResult, type QuestionCall, type Session, type UserMessage, type Visibility } from '../model/session.ts'
import { searchedFor, standsBecauseOfAnswer, type Answered, type Fate } from './answer-fate.ts'
import { occurrencesIn, standsLiterally, type Occurrences } from '../programs/literal.ts'
import { TextIndex } from './text-index.ts'
import type { Certainty, Evidence } from './vocabulary.ts'

export interface Sighting {
  readonly seq: number
  readonly certainty: Certainty
  readonly evidence: Evidence
  readonly visibility: Visibility
}

/** Shorter values stand in any text by chance. */
const DISTINCT = 3
/** Up to this length they are often common words ("yes", "both", "main"). */
const COMMON = 5

type SettledCall = Call & { readonly result: CallResult }

function isSettled(call: Call): call is SettledCall {
  return call.result !== null
}

/** Looks for answers in what the model could read later. */
export class Sightings {
  readonly #session: Session
  readonly #values: ReadonlySet<string>
  readonly #asked: ReadonlyMap<Call, readonly QuestionCall[]>
  #messages: TextIndex<UserMessage> | null = null
  #results: TextIndex<SettledCall> | null = null

  /** `values`: all that may be looked for. */
  constructor(session: Session, values: Iterable<string>) {
    this.#session = session
    this.#values = new Set(values)
    this.#asked = groupBy(session.questions, (q) => q.call)
  }

  /** The first later row that shows a value because of the answer; null: none. */
  first(call: QuestionCall, fate: Fate, answered: Answered): Sighting | null {
    const said = this.#saidAgain(call, answered)
    const read = fate.leaves || fate.state === 'truncated' ? this.#readBack(call, answered) : null
    return said && read ? (said.seq < read.seq ? said : read) : (said ?? read)
  }

  /** The human repeats a value in a message. */
  #saidAgain(call: QuestionCall, answered: Answered): Sighting | null {
    this.#messages ??= new TextIndex(spokenMessages(this.#session), (m) => m.seq, (m) => m.text.value, this.#values)
    for (const m of this.#messages.holding(answered.values.map((v) => searchedFor(v, answered)), call.settledSeq ?? call.askedSeq)) {
      const text = m.text.value
      // With one other label, naming both is a correction ("A, not B"); with more it is a list of them.
      const rivals = answered.rivals.length > 1 ? answered.rivals : []
      const stands = standsBecauseOfAnswer(occurrencesIn(text), { ...answered, rivals })
      const value = answered.values.find((v, i) => stands[i] === true && (v.length >= DISTINCT || text.trim() === v || quoted(text, v)))
      if (value !== undefined) {
        return { seq: m.seq, certainty: value.length > COMMON || text.trim() === value ? 'likely' : 'possible', visibility: m.visibility, evidence: { kind: 'literal', text: 'the human says it again in a message' } }
      }
    }
    return null
  }

  /** A later result shows a value that its own call did not bring along and that no result showed before. */
  #readBack(call: QuestionCall, answered: Answered): Sighting | null {
    this.#results ??= new TextIndex(this.#session.calls.filter(isSettled).toSorted((a, b) => a.result.seq - b.result.seq), (c) => c.result.seq, (c) => c.result.text.value, this.#values)
    const results = this.#results
    const after = call.call.result?.seq ?? call.settledSeq ?? call.askedSeq
    const isKnown = (value: string, stands: (text: Occurrences) => boolean): boolean => {
      for (const { result } of results.holding([value], -1, call.askedSeq)) if (stands(occurrencesIn(result.text.value))) return true
      return false
    }
    const values = answered.values.filter((v) => v.length >= DISTINCT)
    const fresh = values.filter((v) => !isKnown(v, (text) => text.count(v) > 0))
    const stores = storesOf(call, values, answered.rivals)
    // A line with more than the value says by itself where it comes from.
    const lines = stores.flatMap((s) => s.lines).filter(({ value, line }) => !isKnown(value, (text) => text.countAnywhere(line) > 0))
    for (const c of results.holding([...fresh, ...lines.map((l) => l.value)].map((v) => searchedFor(v, answered)), after)) {
      const { result } = c
      if (c.callId === call.call.callId || result.synthetic !== null || !mayRead(c, stores)) continue
      const text = occurrencesIn(result.text.value)
      const stands = standsBecauseOfAnswer(text, answered)
      const value = answered.values.find((v, i) => ((stands[i] === true && fresh.includes(v)) || lines.some((l) => l.value === v && text.countAnywhere(l.line) > 0)) && !brought(c, v) && !this.#askedAgain(c, v))
      if (value !== undefined) {
        return { seq: result.seq, certainty: 'likely', visibility: result, evidence: { kind: 'literal', text: 'a later result shows it, stored by the program before' } }
      }
    }
    return null
  }

  #askedAgain(c: Call, value: string): boolean {
    return this.#asked.get(c)?.some(({ outcome }) => outcome.kind === 'answered' && outcome.answers.some((a) => a.custom === value || a.selected.includes(value))) ?? false
  }
}

function quoted(text: string, value: string): boolean {
  return ['"', "'", '`', '“', '„', '»', '「'].some((q) => text.includes(`${q}${value}`))
}

/** Where the program put a value. */
interface Store {
  /** Name of the file; null: not told. */
  readonly file: string | null
  /** Lines with the value and more, without labels that were not chosen; none where the program wrote all labels down. */
  readonly lines: readonly { readonly value: string; readonly line: string }[]
}

function storesOf(call: QuestionCall, values: readonly string[], rivals: readonly string[]): Store[] {
  const settled = call.settledSeq ?? call.askedSeq
  const read = call.call.dispatches.flatMap(({ receipt }) => (receipt !== null && receipt.seq < settled ? [receipt.text.value] : []))
  return call.call.dispatches.filter((d) => d.startSeq > settled && values.some((v) => standsLiterally(d.arguments.value, v))).map((d) => {
    const args = tryJson(d.arguments.value)
    const path = isRecord(args) && typeof args['file_path'] === 'string' ? args['file_path'] : null
    const texts = isRecord(args) ? Object.values(args).filter((a) => typeof a === 'string') : []
    const written = texts.flatMap((t) => t.split('\n')).map((l) => l.trim()).filter((l) => !read.some((text) => text.includes(l)))
    const isList = rivals.length > 0 && rivals.every((r) => written.some((l) => l.includes(r)))
    const lines = isList ? [] : written.flatMap((line) => values.filter((v) => line !== v && occurrencesIn(line).count(v) > 0 && !rivals.some((r) => line.includes(r))).map((value) => ({ value, line })))
    return { file: path === null ? null : (path.split('/').at(-1) ?? path), lines }
  })
}

const FILE_TOOLS = new Set(['read', 'grep', 'glob', 'write', 'edit'])

/** False: it only looked at other files than the ones that hold the value. */
function mayRead(c: Call, stores: readonly Store[]): boolean {
  const tools = c.isProgram ? c.dispatches.map((d) => d.name) : [c.name]
  if (stores.length === 0 || tools.some((tool) => !FILE_TOOLS.has(tool))) return true
  const texts = [c.arguments.value, c.result?.text.value ?? '', ...c.dispatches.flatMap((d) => [d.arguments.value, d.receipt?.text.value ?? ''])]
  return stores.some(({ file }) => file === null || texts.some((text) => text.includes(file)))
}

function brought(c: Call, value: string): boolean {
  return standsLiterally(programCode(c) ?? c.arguments.value, value)
}
