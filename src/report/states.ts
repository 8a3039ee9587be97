import type { AnswerState, IdleKind, RoundState } from '../facts/vocabulary.ts'

/** What each state of the report means, in one sentence: printed by `explain` and held equal to the README by a test. */
export const answerStateDocs: Readonly<Record<AnswerState, string>> = {
  delivered: 'Every value of the answer stands literally in the result the model got, because of the answer.',
  derived: 'The result the model got depends on the answer, but no value is literally in it (mapped, counted, translated).',
  partial: 'Some values of the answer are in the result the model got, others are not.',
  consumed: 'The result does not depend on the answer; later nested calls of the program do.',
  dropped: 'Nothing depends on the answer: it reached the program and nobody else.',
  lost: 'The run failed after the answer had arrived, and the text of the failure does not carry it.',
  truncated: 'The complete result carries the answer, but spilling or pruning cut it out of what the model could read.',
  evicted: 'Delivered, but compaction replaced the result before any later request of the model.',
  late: 'Not delivered by its own result, but visible to the model later because of the answer.',
  skipped: 'The human submitted the question without selecting or typing anything.',
  unanswered: 'No answer arrived; the reason says why.',
}

export const roundStateDocs: Readonly<Record<RoundState, string>> = {
  progress: 'The workspace reached a new state, the model learned something new, the goal ended, a human was heard, or a job ended.',
  waiting: 'None of that, but a job, subagent or outside process the goal depends on was alive and changed later in the log.',
  idle: 'None of that: the round only spun.',
}

export const idleKindDocs: Readonly<Record<IdleKind, string>> = {
  silent: 'No visible text and no call.',
  'talk-only': 'Text, and no call.',
  'status-only': 'Only calls about itself: goal and task-list tools, or a status file that says nothing new.',
  'poll-only': 'Only polls of a job, subagent or outside process.',
  'error-replay': 'Calls that all fail as they failed before.',
  replay: 'Calls made before, with results known before.',
}
