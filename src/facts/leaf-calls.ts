import { hash } from 'node:crypto'
import { canonicalJson, isRecord, tryJson } from '../model/canonical.ts'
import type { Call, Dispatch, Receipt, Round } from '../model/session.ts'
import type { Text } from '../model/text.ts'
import type { FactContext } from './context.ts'
import { actOf, endedBadly, type Act } from './tools.ts'
import { withoutNamedRound, withoutRound, withoutVolatile, withoutVolatileButDates } from './volatile.ts'

/** A call that did something itself: a nested dispatch, a native call, or a program that dispatched nothing. A log has very many, so each holds little. */
export class LeafCall {
  readonly call: Call
  /** Null: the outer call itself. */
  readonly dispatch: Dispatch | null
  readonly act: Act
  /** Failed as a call, or a command that ended with another exit code than 0 (the harness calls that a success). */
  readonly failed: boolean
  /**
   * Equal for the same tool with the same arguments, volatile parts, a number that names the round, and the display text
   * (`description` of a shell command or program) left out. Opaque.
   */
  readonly key: number
  /** Equal for the same error flag and result, volatile parts left out. Null while unsettled, or closed by a repair. Opaque. */
  readonly outcomeKey: number | null

  constructor(call: Call, dispatch: Dispatch | null, classes: TextClasses) {
    this.call = call
    this.dispatch = dispatch
    const { name, arguments: args, outcome, round } = this
    const asked = args.value
    this.act = actOf(name, asked, args.whole)
    this.key = classes.of(name, args, asked, readingOf(name, asked), round)
    const result = outcome?.text.value ?? ''
    this.failed = outcome !== null && (outcome.isError || endedBadly(name, result))
    const repaired = dispatch === null && call.result !== null && call.result.synthetic !== null
    this.outcomeKey = outcome && !repaired ? classes.of(outcome.isError ? ' error' : ' ok', outcome.text, result, RESULT, round) : null
    classes.show(result)
  }

  get name(): string {
    return (this.dispatch ?? this.call).name
  }

  /** Canonical JSON (or the raw text where the model wrote none). */
  get arguments(): Text {
    return (this.dispatch ?? this.call).arguments
  }

  get seq(): number {
    return this.dispatch?.startSeq ?? this.call.seq
  }

  get line(): number {
    return (this.dispatch ?? this.call).line
  }

  get time(): number {
    return this.dispatch?.startTime ?? this.call.time
  }

  /** Null: never settled. */
  get outcome(): Receipt | null {
    return this.dispatch ? this.dispatch.receipt : this.call.result
  }

  get round(): Round | null {
    return this.call.round
  }

  get inherited(): boolean {
    return this.call.inherited
  }
}

export function leafCallsFact({ session }: FactContext): readonly LeafCall[] {
  const classes = new TextClasses()
  return session.calls.flatMap((call) => (call.dispatches.length > 0
    ? call.dispatches.map((dispatch) => new LeafCall(call, dispatch, classes))
    : [new LeafCall(call, null, classes)]))
}

/** Split by outer call: nested calls of one program stand next to each other. */
export function* byCall(leaves: readonly LeafCall[]): Generator<readonly LeafCall[]> {
  let from = 0
  for (const [i, leaf] of leaves.entries()) {
    if (leaf.call === leaves[i + 1]?.call) continue
    yield leaves.slice(from, i + 1)
    from = i + 1
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
  readonly steady: (text: string) => string
  readonly withoutRound: (text: string, round: number) => string
  /** Keeps apart what would be the same without the round. */
  readonly placeOf: (text: string) => string
  /** A uuid that a result has shown names a thing. */
  readonly namesThings: boolean
}

const RESULT: Reading = { steady: withoutVolatile, withoutRound: withoutNamedRound, placeOf: () => '', namesThings: false }
/** What is asked for: a number that happens to be the round's may name a page or a batch. */
const REQUEST: Reading = { ...RESULT, steady: (args) => withoutVolatileButDates(withoutEscapes(args)), namesThings: true }
const COMMAND: Reading = { ...REQUEST, steady: (args) => withoutVolatileButDates(withoutDescription(args)) }
/** What the model wrote down, where it may number its rounds in its own way. */
const NOTE: Reading = { steady: (args) => withoutVolatile(withoutDescription(args)), withoutRound, placeOf: fileOf, namesThings: true }

/** Writes of whole files, and commands that do nothing but print into one, in a shell or PowerShell. */
const WRITES_DOWN = /[{,]"(?:content|file_text)":"|"command":"(?:(?:echo|printf) [^;&|]*>|(?:set|add)-content )/i

function readingOf(name: string, args: string): Reading {
  return WRITES_DOWN.test(args) ? NOTE : DESCRIBED.has(name) ? COMMAND : REQUEST
}

/** The file a note goes to: a number or date in its name makes it another file. */
function fileOf(args: string): string {
  return withoutVolatileButDates(/"(?:file_)?path":"((?:[^"\\]|\\.)*)"/.exec(args)?.[1] ?? '')
}

const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi

/**
 * Numbers classes of texts. One class holds all texts of a kind that are equal, equal without their volatile parts, or equal
 * once each also lacks the number of the round it stands in. Each of these forms leads to the class, because only one of
 * two may be the coincidence. A uuid that a result has shown names a thing; one that comes out of nothing is volatile.
 */
class TextClasses {
  /** Kind → id of a text, or digest of one of its forms → class. */
  readonly #kinds = new Map<string, Map<string | number, number>>()
  /** As numbers: a piece of a text would keep all of it in memory. */
  readonly #shown = new Set<bigint>()
  #count = 0

  /** Takes in a result. */
  show(result: string): void {
    for (const [uuid] of result.matchAll(UUID)) this.#shown.add(numberOf(uuid))
  }

  of(kind: string, { id, whole }: Text, text: string, reading: Reading, round: Round | null): number {
    const classes = this.#kinds.get(kind) ?? new Map<string | number, number>()
    this.#kinds.set(kind, classes)
    const known = classes.get(id)
    const isNumbered = round !== null && text.includes(String(round.round))
    if (known !== undefined && !isNumbered) return known
    const forms = whole ? [id, ...this.#formsOf(text, reading, isNumbered ? round.round : null)] : [id]
    const found = forms.map((f) => classes.get(f)).find((c) => c !== undefined) ?? (this.#count += 1)
    for (const form of forms) if (!classes.has(form)) classes.set(form, found)
    return found
  }

  #formsOf(text: string, reading: Reading, round: number | null): string[] {
    const named = reading.namesThings ? text.replace(UUID, (uuid) => (this.#shown.has(numberOf(uuid)) ? uuid.replaceAll('-', '') : uuid)) : text
    const stable = reading.steady(named)
    const masked = round === null ? stable : reading.withoutRound(stable, round)
    const place = reading.placeOf(text)
    return [...new Set([stable, masked])].map((form) => hash('sha1', place + form, 'base64'))
  }
}

function numberOf(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '')}`)
}
