import { hash } from 'node:crypto'
import { canonicalJson, isRecord, tryJson } from '../model/canonical.ts'
import type { Call, Dispatch, Receipt, Round } from '../model/session.ts'
import type { Text } from '../model/text.ts'
import type { FactContext } from './context.ts'
import { withoutRound, withoutVolatile } from './volatile.ts'

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
   * Equal for the same tool with the same arguments, volatile parts, the round's own number and the display text
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
  return {
    name, call, dispatch, arguments: args, line,
    seq: dispatch?.startSeq ?? call.seq, time: dispatch?.startTime ?? call.time, outcome,
    key: `${name} ${classes.of(args, call.round, DESCRIBED.has(name) ? withoutDescription : withoutEscapes)}`,
    outcomeKey: outcome && !repaired ? `${outcome.isError ? 'error' : 'ok'} ${classes.of(outcome.text, call.round, asIs)}` : null,
    round: call.round, inherited: call.inherited,
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

function asIs(text: string): string {
  return text
}

/**
 * Names one class for all texts that are equal without their volatile parts, or equal once each also lacks the
 * number of the round it stands in. Both forms lead to the class, because only one of the two may be the
 * coincidence: "3 failed" in round 3 is the "3 failed" of round 4.
 */
class TextClasses {
  readonly #classOf = new Map<string, string>()
  readonly #stable = new Map<string, string>()

  of(text: Text, round: Round | null, prepare: (value: string) => string): string {
    if (!text.whole) return text.hash
    const stable = this.#stableForm(text, prepare)
    const forms = [hash('sha1', stable, 'base64')]
    if (round) {
      const masked = withoutRound(stable, round.round)
      if (masked !== stable) forms.push(hash('sha1', masked, 'base64'))
    }
    const known = forms.map((f) => this.#classOf.get(f)).find((c) => c !== undefined) ?? forms[0] ?? ''
    for (const form of forms) if (!this.#classOf.has(form)) this.#classOf.set(form, known)
    return known
  }

  #stableForm(text: Text, prepare: (value: string) => string): string {
    const id = `${prepare.name}${text.hash}`
    const known = this.#stable.get(id)
    if (known !== undefined) return known
    const stable = withoutVolatile(prepare(text.value))
    this.#stable.set(id, stable)
    return stable
  }
}
