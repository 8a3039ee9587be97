/** Every rule, by family. A new rule is one file and one line here. */
import type { Rule } from './define.ts'
import { absentRepeatGuard } from './absent-repeat-guard.ts'
import { gapInGuard } from './gap-in-guard.ts'
import { hiddenQuestionTool } from './hidden-question-tool.ts'
import { ignoredDenial } from './ignored-denial.ts'
import { ignoredReminder } from './ignored-reminder.ts'
import { launderedRepetition } from './laundered-repetition.ts'
import { leakedGuard } from './leaked-guard.ts'
import { swallowedDenial } from './swallowed-denial.ts'
import { unboundedWait } from './unbounded-wait.ts'
import { unguardedQuestion } from './unguarded-question.ts'

export const rules: readonly Rule[] = [
  // answers

  // questions

  // goals

  // guards
  unguardedQuestion, gapInGuard, leakedGuard, swallowedDenial, ignoredDenial,
  hiddenQuestionTool, absentRepeatGuard, launderedRepetition, ignoredReminder, unboundedWait,

  // loops

  // log
]
