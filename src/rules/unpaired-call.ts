import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const unpairedCall = defineRule({
  id: 'unpaired-call',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'A tool call has no result, a result has no call, a call has two results, or the model asked for a call that was never made.',
    why: 'The next request needs one result for every call of the model. What an unpaired call did, and what the model was told about it, is unknown.',
    fix: 'Look at the turn named here: a plugin that appends results itself, or a scheduler that failed. In a session that goes on, ask the model to look at the state of things before it repeats the call.',
    misses: 'Calls that are open because the log stops, and those that the harness closed after a crash or at a fork, are legal.',
    disproof: 'The missing call or result stands elsewhere in the same step.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('unpaired-call', context)
  },
})
