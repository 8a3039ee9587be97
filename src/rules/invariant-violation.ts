import { defineRule } from './define.ts'
import { isDamage, issueSeverity, issueText, reportIssues } from './issues.ts'

export const invariantViolation = defineRule({
  id: 'invariant-violation',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'Rows contradict each other: turns or steps that do not nest, a goal or a queue that does not add up, a replacement of rows that are not there, an event that does not have the shape of its type.',
    why: 'The harness refuses such a log, or would if its optional checks were mounted; and a judgement that rests on these rows is less sure.',
    fix: 'Find out what wrote or edited the row named here: a plugin that appends events itself, a hand-made log, a migration. Report it to the harness if none of these did.',
    misses: 'Nothing is checked after missing rows, because what follows a hole proves nothing.',
    disproof: 'The rows before the one named here make it legal.',
  },
  needs: [],
  text: issueText,
  check(context) {
    if (context.session.issues.some(({ code }) => isDamage(code))) context.notEvaluated('rows are missing, and what follows a hole proves nothing')
    reportIssues('invariant-violation', context, (args) => (args.code === 'time-backwards' ? 'info' : issueSeverity(args)))
  },
})
