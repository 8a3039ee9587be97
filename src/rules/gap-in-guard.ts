import { groupBy } from '../group.ts'
import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

export const gapInGuard = defineRule({
  id: 'gap-in-guard',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'In one and the same process a guard denied some questions of goal rounds and let others through.',
    why: 'A guard that works only sometimes is worse than none: one relies on it, and the run stops all the same.',
    fix: 'Look at what the admitted questions have in common (nested or native, the goal, the round, the agent) and widen the guard. Its window has to run from the admitted goal message to the end of that round, for the same agent, and nested calls pass the same guard as native ones.',
    misses: 'Questions before and after a restart are not compared: another process may mount other guards.',
    disproof: 'A human message in the turn of the admitted question, or a restart between the questions.',
  },
  needs: ['guards'],
  text: ({ admitted, denied, question }: { admitted: number; denied: number; question: string }) => (
    `The guard against questions in goal rounds has a gap: it denied ${denied} and let ${admitted} through, first ${question}.`),
  check({ facts: { guards }, report }) {
    const windows = groupBy(guards.asks.filter((a) => a.place === 'goal-round' && (a.gate === 'guard' || a.gate === 'service')), (a) => a.lifetime)
    for (const asks of windows.values()) {
      const admitted = asks.filter((a) => a.gate === 'service')
      const denied = asks.filter((a) => a.gate === 'guard')
      const [first] = admitted
      const [last] = asks.slice(-1)
      if (!first || !last || denied.length === 0) continue
      report({
        at: askedAt(first.question),
        toSeq: Math.max(first.question.askedSeq, last.question.askedSeq),
        args: { admitted: admitted.length, denied: denied.length, question: questionName(first.question) },
        certainty: denied.some((a) => a.certainty === 'proven') && admitted.some((a) => a.certainty === 'proven') ? 'proven' : 'likely',
        related: asks.filter((a) => a !== first).map((a) => ({ seq: a.question.askedSeq, why: a.gate === 'guard' ? 'this question was denied' : 'this one was let through' })),
      })
    }
  },
})
