/** What findings about one answered item have in common. */
import type { AnswerFact } from '../facts/answers.ts'
import type { Place, Reported } from './define.ts'
import { askedAt, quoted } from './words.ts'

export interface AnswerArgs {
  readonly questionId: string
  readonly subCallId: string | null
  /** In quotes. */
  readonly question: string
  readonly [key: string]: string | number | boolean | null | undefined
}

export function answerArgs(a: AnswerFact): AnswerArgs {
  return { questionId: a.question.id, subCallId: a.call.dispatch?.subCallId ?? null, question: quoted(a.question.question || a.question.id) }
}

/** Where the answer got lost: the outer result, or the receipt when there is none. */
export function answerPlace({ call }: AnswerFact): Place {
  const { result, turn, step } = call.call
  const row = result ?? call.dispatch?.receipt
  return row ? { seq: row.seq, line: row.line, turn, step } : askedAt(call)
}

/** A finding at the place where the answer got lost, with the rows of its question and receipt. */
export function answerFinding<Args extends AnswerArgs>(a: AnswerFact, args: Args): Reported<Args> {
  const { askedSeq, settledSeq } = a.call
  const at = answerPlace(a)
  return {
    at, args, certainty: a.certainty,
    related: [
      { seq: askedSeq, why: 'the question was asked here' },
      ...(settledSeq !== null && settledSeq !== at.seq ? [{ seq: settledSeq, why: 'the answer arrived here' }] : []),
    ],
    ...(a.fix ? { fix: `Line ${a.fix.line} of the program: ${a.fix.after.trim()}` } : {}),
  }
}
