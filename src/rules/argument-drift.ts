import { defineRule } from './define.ts'
import { callAt, quoted } from './words.ts'

export const argumentDrift = defineRule({
  id: 'argument-drift',
  family: 'loops',
  severity: 'warning',
  docs: {
    what: 'Eight or more calls of one tool in a row failed with the same kind of error although the arguments varied.',
    why: 'The model guesses. What it varies is not what is wrong, and nothing tells it to stop.',
    fix: 'Read the error: if it names a missing tool, right or path, give that; else tell the model what the tool expects.',
    misses: 'Failures with a success or another tool in between.',
    disproof: 'One of the errors is of another kind.',
  },
  needs: ['loops'],
  text: ({ tool, count, error }: { tool: string; count: number; error: string }) => `\`${tool}\` failed ${count} times in a row in the same way under varying arguments: ${quoted(error)}.`,
  check({ facts: { loops }, report }) {
    for (const { calls, error } of loops.drifts) {
      const [first] = calls
      const last = calls.at(-1)
      if (first && last) report({ at: callAt(first), toSeq: last.outcome?.seq ?? last.seq, args: { tool: first.name, count: calls.length, error }, certainty: 'likely' })
    }
  },
})
