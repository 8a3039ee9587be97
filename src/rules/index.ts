/** Every rule, by family. A new rule is one file and one line here. */
import type { Rule } from './define.ts'
import { abortedQuestion } from './aborted-question.ts'
import { absentRepeatGuard } from './absent-repeat-guard.ts'
import { ambiguousQuestion } from './ambiguous-question.ts'
import { argumentDrift } from './argument-drift.ts'
import { brokenSequence } from './broken-sequence.ts'
import { busyWait } from './busy-wait.ts'
import { callCycle } from './call-cycle.ts'
import { cancelledQuestion } from './cancelled-question.ts'
import { consumedAnswer } from './consumed-answer.ts'
import { droppedAnswer } from './dropped-answer.ts'
import { emptyAnswer } from './empty-answer.ts'
import { evictedAnswer } from './evicted-answer.ts'
import { flipFlop } from './flip-flop.ts'
import { gapInGuard } from './gap-in-guard.ts'
import { hiddenQuestionTool } from './hidden-question-tool.ts'
import { idleRounds } from './idle-rounds.ts'
import { ignoredDenial } from './ignored-denial.ts'
import { ignoredQuestionField } from './ignored-question-field.ts'
import { ignoredReminder } from './ignored-reminder.ts'
import { instantAnswer } from './instant-answer.ts'
import { invalidAnswer } from './invalid-answer.ts'
import { invariantViolation } from './invariant-violation.ts'
import { lateAnswer } from './late-answer.ts'
import { launderedRepetition } from './laundered-repetition.ts'
import { leakedGuard } from './leaked-guard.ts'
import { lostAnswer } from './lost-answer.ts'
import { lostWork } from './lost-work.ts'
import { missingGoalTool } from './missing-goal-tool.ts'
import { missingQuestionTool } from './missing-question-tool.ts'
import { mixedGenerations } from './mixed-generations.ts'
import { partialAnswer } from './partial-answer.ts'
import { pendingQuestion } from './pending-question.ts'
import { planReview } from './plan-review.ts'
import { refusedGoalUpdate } from './refused-goal-update.ts'
import { rejectedQuestion } from './rejected-question.ts'
import { roundCap } from './round-cap.ts'
import { runawayArguments } from './runaway-arguments.ts'
import { silentTurns } from './silent-turns.ts'
import { slowAnswer } from './slow-answer.ts'
import { stalledGoal } from './stalled-goal.ts'
import { swallowedDenial } from './swallowed-denial.ts'
import { swallowedError } from './swallowed-error.ts'
import { tornLog } from './torn-log.ts'
import { truncatedAnswer } from './truncated-answer.ts'
import { unboundedWait } from './unbounded-wait.ts'
import { undeliveredMessage } from './undelivered-message.ts'
import { unguardedQuestion } from './unguarded-question.ts'
import { unknownEvent } from './unknown-event.ts'
import { unpairedCall } from './unpaired-call.ts'
import { unreadResult } from './unread-result.ts'
import { unreportedBlocker } from './unreported-blocker.ts'
import { unsettledDispatch } from './unsettled-dispatch.ts'

export const rules: readonly Rule[] = [
  // answers
  droppedAnswer, partialAnswer, lostAnswer, truncatedAnswer, evictedAnswer, lateAnswer, consumedAnswer, emptyAnswer, instantAnswer,
  unreadResult, swallowedError, lostWork,

  // questions
  pendingQuestion, slowAnswer, abortedQuestion, cancelledQuestion, rejectedQuestion,
  ignoredQuestionField, ambiguousQuestion, invalidAnswer, missingQuestionTool, planReview,

  // goals
  idleRounds, busyWait, stalledGoal, unreportedBlocker, refusedGoalUpdate, missingGoalTool, roundCap,

  // guards
  unguardedQuestion, gapInGuard, leakedGuard, swallowedDenial, ignoredDenial,
  hiddenQuestionTool, absentRepeatGuard, launderedRepetition, ignoredReminder, unboundedWait,

  // loops
  callCycle, silentTurns, argumentDrift, flipFlop, runawayArguments,

  // log
  tornLog, brokenSequence, unpairedCall, unsettledDispatch, unknownEvent,
  undeliveredMessage, mixedGenerations, invariantViolation,
]
