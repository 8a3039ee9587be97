import { hash } from 'node:crypto'
import { canonicalJson, isRecord, tryJson } from '../model/canonical.ts'
import type { Call, Dispatch, Receipt, Round } from '../model/session.ts'
import type { Text } from '../model/text.ts'
import type { FactContext } from './context.ts'
import { withoutNamedRound, withoutRound, withoutVolatile, withoutVolatileButDates } from './volatile.ts'

/** A call that did something itself: a nested dispatch, a native call, or a program that dispatched nothing. */
export interface LeafCall {
  readonly name: string
  readonly call: Call
  /** Null: the outer call itself. */
  readonly dispatch: Dispatch | null
  /** Canonical JSON (or the raw text where the model wrote none). */
  readonly arguments: Text
  readonly seq: number
  readonly line: number
  readonly time: number
  /** Null: never settled. */
  readonly outcome: Receipt | Call['result']
  /**
   * Equal for the same tool with the same arguments, volatile parts, a number that names the round, and the display text
   * (`description` of a shell command or program) left out. Opaque.
   */
  readonly key: string
  /** Equal for the same error flag and result, volatile parts left out. Null while unsettled, or closed by a repair. Opaque. */
  readonly outcomeKey: string | null
  readonly round: Round | null
  readonly inherited: boolean
}

export function leafCallsFact({ session }: FactContext): readonly LeafCall[] {
  const classes = new TextClasses()
  return session.calls.flatMap((call) => (call.dispatches.length > 0
    ? call.dispatches.map((dispatch) => leafCall(call, dispatch, classes))
    : [leafCall(call, null, classes)]))
}

function leafCall(call: Call, dispatch: Dispatch | null, classes: TextClasses): LeafCall {
  const { name, line } = dispatch ?? call
  const outcome = dispatch ? dispatch.receipt : call.result
  const args = dispatch?.arguments ?? call.arguments
  const repaired = dispatch === null && call.result !== null && call.result.synthetic !== null
  const reading = readingOf(name, args)
  const key = `${name} ${reading === NOTE ? placeOf(args) : ''} ${classes.of(args, call.round, reading)}`
  const outcomeKey = outcome && !repaired ? `${outcome.isError ? 'error' : 'ok'} ${classes.of(outcome.text, call.round, RESULT)}` : null
  if (outcome) classes.show(outcome.text)
  return {
    name, call, dispatch, arguments: args, line,
    seq: dispatch?.startSeq ?? call.seq, time: dispatch?.startTime ?? call.time, outcome,
    key, outcomeKey, round: call.round, inherited: call.inherited,
  }
}

/** Tools whose `description` is only shown to people. */
const DESCRIBED: ReadonlySet<string> = new Set(['bash', 'run_code'])

function withoutDescription(args: string): string {
  const value = tryJson(args)
  if (!isRecord(value)) return args
  const { description: _shown, ...rest } = value
  return withoutEscapes(canonicalJson(rest))
}

/** A date after an escaped line break must not look like the end of a word. */
function withoutEscapes(json: string): string {
  return json.replace(/\\[nrt]/g, ' ')
}

/** What of a text makes two of its kind the same. */
interface Reading {
  readonly id: string
  readonly steady: (text: string) => string
  readonly withoutRound: (text: string, round: number) => string
}

const RESULT: Reading = { id: 'result', steady: withoutVolatile, withoutRound: withoutNamedRound }
/** What is asked for: a number that happens to be the round's may name a page or a batch. */
const REQUEST: Reading = { id: 'request', steady: (args) => withoutVolatileButDates(withoutEscapes(args)), withoutRound: withoutNamedRound }
const COMMAND: Reading = { ...REQUEST, id: 'command', steady: (args) => withoutVolatileButDates(withoutDescription(args)) }
/** What the model wrote down, where it may number its rounds in its own way. */
const NOTE: Reading = { id: 'note', steady: (args) => withoutVolatile(withoutDescription(args)), withoutRound }

/** Writes of whole files, and commands that do nothing but print into one, in a shell or PowerShell. */
const WRITES_DOWN = /[{,]"(?:content|file_text)":"|"command":"(?:(?:echo|printf) [^;&|]*>|(?:set|add)-content )/i

function readingOf(name: string, args: Text): Reading {
  return WRITES_DOWN.test(args.value) ? NOTE : DESCRIBED.has(name) ? COMMAND : REQUEST
}

/** The file a note goes to: a number or date in its name makes it another file. */
function placeOf({ value }: Text): string {
  return withoutVolatileButDates(/"(?:file_)?path":"((?:[^"\\]|\\.)*)"/.exec(value)?.[1] ?? '')
}

const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi

/**
 * Names one class for all texts that are equal without their volatile parts, or equal once each also lacks the
 * number of the round it stands in. Both forms lead to the class, because only one of the two may be the
 * coincidence. A uuid that a result has shown names a thing; one that comes out of nothing is volatile.
 */
class TextClasses {
  readonly #classOf = new Map<string, string>()
  readonly #stable = new Map<string, string>()

  readonly #shown = new Set<string>()

  /** Takes in a result. */
  show({ value }: Text): void {
    for (const [uuid] of value.matchAll(UUID)) this.#shown.add(uuid)
  }

  of(text: Text, round: Round | null, reading: Reading): string {
    if (!text.whole) return text.hash
    const stable = this.#stableForm(text, reading)
    const forms = [hash('sha1', stable, 'base64')]
    if (round) {
      const masked = reading.withoutRound(stable, round.round)
      if (masked !== stable) forms.push(hash('sha1', masked, 'base64'))
    }
    const known = forms.map((f) => this.#classOf.get(f)).find((c) => c !== undefined) ?? forms[0] ?? ''
    for (const form of forms) if (!this.#classOf.has(form)) this.#classOf.set(form, known)
    return known
  }

  #stableForm(text: Text, { id: reading, steady }: Reading): string {
    const id = `${reading}${text.hash}`
    const known = this.#stable.get(id)
    if (known !== undefined) return known
    const named = reading === RESULT.id ? text.value : text.value.replace(UUID, (uuid) => (this.#shown.has(uuid) ? uuid.replaceAll('-', '') : uuid))
    const stable = steady(named)
    this.#stable.set(id, stable)
    return stable
  }
}
