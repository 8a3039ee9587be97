import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const brokenSequence = defineRule({
  id: 'broken-sequence',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'Rows are missing, doubled or unreadable: a gap or a step back in `seq`, a line that is no JSON, a damaged frame.',
    why: 'What stood in the lost rows cannot be judged, and the harness stops reading there: it drops the rest as a crash tail, or refuses the whole log when a turn ends later on.',
    fix: 'Take the log from the session folder again, unedited. If the damage is on the disk, restore the file from before it; the rows up to the place named here are good.',
    misses: 'Rows cut out together with a renumbering of what follows leave no trace in the sequence.',
    disproof: 'The original file has the missing rows, in sequence, at the place named here.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('broken-sequence', context)
  },
})
