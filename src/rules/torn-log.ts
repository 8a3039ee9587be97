import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const tornLog = defineRule({
  id: 'torn-log',
  family: 'log',
  severity: 'info',
  docs: {
    what: 'The file stops in the middle of a row or of a compressed frame.',
    why: 'The process was killed while it wrote, or the file was copied while it was being written. Everything before the tear is whole; what came after it is missing here.',
    fix: 'Copy the log again when the run has ended. A log of a killed process is repaired by the harness the next time the session is opened for writing.',
    misses: 'A tear that happens to fall between two rows looks like a log that simply ends.',
    disproof: 'The same file, copied again later, goes on after the row named here.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('torn-log', context, () => 'info')
  },
})
