import { deflateRawSync } from 'node:zlib'
import type { Certainty } from '../facts/vocabulary.ts'
import type { Call, Session, Step, Turn } from '../model/session.ts'
import { defineRule, type Place } from './define.ts'

const LARGE = 64 * 1024
/** Ordinary text and code shrink to about a quarter; what is left of a text that repeats itself is far less. */
const REPETITIVE = 0.05

type Args = { kind: 'cut'; bytes: number } | { kind: 'repetitive'; bytes: number; tool: string }

export const runawayArguments = defineRule({
  id: 'runaway-arguments',
  family: 'loops',
  severity: 'warning',
  docs: {
    what: 'A reply hit the output limit while the arguments of a call were streaming, so that the call never ran; or the arguments of a call exceed 64 KB and mostly repeat themselves.',
    why: 'The model was caught in its own text. The tokens are spent, the call is lost, and inside a goal the driver stops without a word.',
    fix: 'Have large contents written in parts, and resume the goal; a lower temperature or a repetition penalty helps against the repetition.',
    misses: 'From format 2 on the stream is inside the row of the reply, so only large cut arguments show there. Long arguments that the reader kept in part are not judged.',
    disproof: 'The call that was streaming ran after all, or the long arguments hold no repetition.',
  },
  needs: [],
  text: (args: Args) => (args.kind === 'cut'
    ? `The output limit cut a call off while its arguments were streaming (${kilobytes(args.bytes)}): it never ran.`
    : `The arguments of \`${args.tool}\` are ${kilobytes(args.bytes)} long and mostly repeat themselves.`),
  check({ session, report }) {
    for (const found of [...session.turns.flatMap(cutCall), ...repetitiveCalls(session)]) report(found)
  },
})

function cutCall({ turn, end, steps, inherited }: Turn): { at: Place; args: Args; certainty: Certainty }[] {
  const last = steps.at(-1)
  if (inherited || !end || end.reason.kind !== 'max-tokens' || !last || last.calls.length > 0) return []
  const at = { seq: end.seq, line: end.line, turn, step: last.step }
  if (last.streamedArgumentBytes > 0) return [{ at, args: { kind: 'cut', bytes: last.streamedArgumentBytes }, certainty: 'likely' }]
  const bytes = unaccounted(last)
  return bytes > UNACCOUNTED ? [{ at, args: { kind: 'cut', bytes }, certainty: 'possible' }] : []
}

/** From format 2 on the stream is part of the message's row; text that is in neither the message nor its reasoning can only be arguments. */
const UNACCOUNTED = 16 * 1024
const ROW_BYTES_PER_CHARACTER = 8

function unaccounted({ message }: Step): number {
  return message ? Math.max(0, message.bytes - ROW_BYTES_PER_CHARACTER * (message.text.length + message.reasoningChars)) : 0
}

function repetitiveCalls({ calls }: Session): { at: Place; args: Args; certainty: Certainty }[] {
  return calls.filter((c) => !c.inherited && c.argumentBytes > LARGE && isRepetitive(c)).map((c) => ({
    at: { seq: c.seq, line: c.line, turn: c.turn, step: c.step }, args: { kind: 'repetitive', bytes: c.argumentBytes, tool: c.name }, certainty: 'proven',
  }))
}

function isRepetitive({ arguments: { value, whole, length } }: Call): boolean {
  return whole && deflateRawSync(value).length < REPETITIVE * length
}

function kilobytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1024))} KB`
}
