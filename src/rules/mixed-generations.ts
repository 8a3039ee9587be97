import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const mixedGenerations = defineRule({
  id: 'mixed-generations',
  family: 'log',
  severity: 'info',
  docs: {
    what: 'The session is stored in more than one file: older log generations, or copies of the same session, lie beside the one that was read.',
    why: 'An upgrade leaves the old file as it was. Seqs differ between generations, so a place named from one file means something else in the other.',
    fix: 'Nothing, as long as everybody speaks of the highest generation. Name a single file when an older one is meant.',
    misses: 'Copies in folders that were not given are not seen.',
    disproof: 'The files have different session ids in their first lines.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('mixed-generations', context, () => 'info')
  },
})
