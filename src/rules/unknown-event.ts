import { defineRule } from './define.ts'
import { issueText, reportIssues } from './issues.ts'

export const unknownEvent = defineRule({
  id: 'unknown-event',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'The log has events of a type that no known build of the harness writes.',
    why: 'A plugin or a later build wrote them. Nothing here understands them, and a harness without that plugin refuses the log unless the events are marked ignorable.',
    fix: 'Open the session only with the plugins that wrote it. If the type belongs to a newer harness, use a newer dsh-inquest.',
    misses: 'A known type with an unknown meaning is taken for what it was when this was written.',
    disproof: 'The type is in the list of event types of the build that wrote the log.',
  },
  needs: [],
  text: issueText,
  check(context) {
    reportIssues('unknown-event', context, ({ harness }) => (harness === 'refuse' ? 'warning' : 'info'))
  },
})
