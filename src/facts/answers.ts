import type { Fix } from '../programs/index.ts'
import type { Question, QuestionCall } from '../model/questions.ts'
import type { FactContext } from './index.ts'
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
}

export function answersFact(_context: FactContext): readonly AnswerFact[] {
  return []
}
