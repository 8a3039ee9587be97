import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const unsettledDispatch = defineRule({
  id: 'unsettled-dispatch',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'A nested call of a program started and never settled although the program ended, or it settled without having started.',
    why: 'The program had its result from somewhere, or went on without it. What the nested call did is not on record, so no receipt shows whether a write, a command or an answer came through.',
    fix: 'Await every nested call in the program. If the program did await it, report the log to the harness: every nested call settles before its program has a result.',
    misses: 'Nested calls that were open when the process died are legal: nobody knows whether they took effect.',
    disproof: 'A settled row with the same sub call id before the result of the program.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('unsettled-dispatch', context)
  },
})
