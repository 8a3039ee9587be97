import { defineRule } from './define.ts'

const STREAK = 3

const BLOCKERS = {
  'undelivered-answer': 'an answer that never reached the model',
  'human-decision': 'something only a human can give',
} as const

export const unreportedBlocker = defineRule({
  id: 'unreported-blocker',
  family: 'goals',
  severity: 'warning',
  docs: {
    what: 'Three or more idle rounds in a row were held up by the same blocker (an open decision, an answer that did not arrive, the same error), the goal stayed active, and nobody tried to report it.',
    why: 'A goal that is reported as blocked stops its rounds and tells the human what is needed. One that stays active goes on without end, and the human may never look.',
    fix: 'Tell the model to call `update_goal` with action `blocked` and the reason as soon as it can only wait.',
    misses: 'A blocker that is only in the words of the model: the rule needs a row that shows it.',
    disproof: 'A call of `update_goal` with action `blocked` in these rounds, or a row that shows the blocker was gone.',
  },
  needs: ['idleStreaks'],
  text: ({ first, last, blocker }: { goalId: string; first: number; last: number; blocker: keyof typeof BLOCKERS }) => (
    `Goal rounds ${first} to ${last} only waited for ${BLOCKERS[blocker]}, and the goal was not reported as blocked.`),
  check({ facts: { idleStreaks }, report }) {
    for (const { goalId, rounds, waitsFor, evidence, blockAttempts } of idleStreaks) {
      const first = rounds[0]?.round
      const last = rounds.at(-1)?.round
      if (!first || !last || rounds.length < STREAK || blockAttempts > 0 || (waitsFor !== 'undelivered-answer' && waitsFor !== 'human-decision')) continue
      report({
        at: { seq: first.fromSeq, line: first.message.line, turn: first.turn }, toSeq: last.toSeq,
        args: { goalId, first: first.round, last: last.round, blocker: waitsFor }, certainty: 'likely', ...(evidence ? { related: [evidence] } : {}),
      })
    }
  },
})
