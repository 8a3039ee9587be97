import { defineRule } from './define.ts'
import { callAt } from './words.ts'

export const flipFlop = defineRule({
  id: 'flip-flop',
  family: 'loops',
  severity: 'warning',
  docs: {
    what: 'In one goal a file came back to the same earlier content two or more times.',
    why: 'A change that is made and taken back again and again is no progress, however many edits it takes.',
    fix: 'Settle the question the two versions stand for, and write the decision where the model reads it.',
    misses: 'Files that are changed by commands; contents the log does not show in full are followed by their replacements only.',
    disproof: 'The contents differ in a part the edits do not show.',
  },
  needs: ['loops'],
  text: ({ path, returns }: { path: string; goalId: string; returns: number }) => `\`${path}\` came back to the same earlier content ${returns} times.`,
  check({ facts: { loops }, report }) {
    for (const { path, goalId, returns } of loops.flipFlops) {
      const [first, ...later] = returns
      const last = returns.at(-1)
      if (!first || !last) continue
      report({
        at: callAt(first), toSeq: last.seq, args: { path, goalId, returns: returns.length }, certainty: 'likely',
        related: later.map((c) => ({ seq: c.seq, why: 'and again here' })),
      })
    }
  },
})
