/** Every rule, by family. A new rule is one file and one line here. */
import type { Rule } from './define.ts'
import { absentRepeatGuard } from './absent-repeat-guard.ts'
import { brokenSequence } from './broken-sequence.ts'
import { gapInGuard } from './gap-in-guard.ts'
import { hiddenQuestionTool } from './hidden-question-tool.ts'
import { ignoredDenial } from './ignored-denial.ts'
import { ignoredReminder } from './ignored-reminder.ts'
import { invariantViolation } from './invariant-violation.ts'
import { launderedRepetition } from './laundered-repetition.ts'
import { leakedGuard } from './leaked-guard.ts'
import { mixedGenerations } from './mixed-generations.ts'
import { swallowedDenial } from './swallowed-denial.ts'
import { tornLog } from './torn-log.ts'
import { unboundedWait } from './unbounded-wait.ts'
import { undeliveredMessage } from './undelivered-message.ts'
import { unguardedQuestion } from './unguarded-question.ts'
import { unknownEvent } from './unknown-event.ts'
import { unpairedCall } from './unpaired-call.ts'
import { unsettledDispatch } from './unsettled-dispatch.ts'

export const rules: readonly Rule[] = [
  // answers

  // questions

  // goals

  // guards
  unguardedQuestion, gapInGuard, leakedGuard, swallowedDenial, ignoredDenial,
  hiddenQuestionTool, absentRepeatGuard, launderedRepetition, ignoredReminder, unboundedWait,

  // loops

  // log
  tornLog, brokenSequence, unpairedCall, unsettledDispatch, unknownEvent,
  undeliveredMessage, mixedGenerations, invariantViolation,
]
