/** Words and places several rules share. */
import type { LeafCall } from '../facts/leaf-calls.ts'
import type { QuestionCall, Session } from '../model/session.ts'
import type { Place } from './define.ts'

const LONGEST = 70

/** A text of the log inside a sentence: one line, not too long, in quotes. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return `“${line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line}”`
}

/** Why something stays open in a log of many long texts; `cutTexts` is not 0. */
export function onlyEnds({ cutTexts }: Session): string {
  return `of ${cutTexts} old or very long texts only the ends are kept`
}

/** `“Which database?”`, `“Which database?” and 2 more`, or the call where nothing can be read. */
export function questionName({ questions }: QuestionCall): string {
  const first = questions?.find((q) => q.question.trim() !== '')
  const more = (questions?.length ?? 0) - 1
  return first ? `${quoted(first.question)}${more > 0 ? ` and ${more} more` : ''}` : 'a question'
}

export function askedAt({ askedSeq, askedLine, call }: QuestionCall): Place {
  return { seq: askedSeq, line: askedLine, turn: call.turn, step: call.step }
}

export function callAt({ seq, line, call }: LeafCall): Place {
  return { seq, line, turn: call.turn, step: call.step }
}

/** `850 ms`, `42 s`, `8 min`, `3.5 h`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`
}
