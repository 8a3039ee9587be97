import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

const LONG_MS = 120_000
const UNHEARD: ReadonlySet<string> = new Set(['dropped', 'lost', 'truncated', 'evicted'])

export const unguardedQuestion = defineRule({
  id: 'unguarded-question',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'A question was asked in a goal round, before any human had spoken in that turn, and no guard denied it: it reached the question service or the human.',
    why: 'Goal rounds run by themselves. A question in one stops the run until somebody happens to look, without any time limit, and often its answer is the one that gets lost.',
    fix: 'Mount a guard that denies `ask_user_question` while a goal round runs (`ctx.tools.guard`) and names the way out in its reason: report the open decision with `update_goal`, action `blocked`.',
    misses: 'A question that was refused for bad arguments, or called directly where only `run_code` may be, never came as far as a guard and is not counted.',
    disproof: 'A human message in the same turn before the question, or a settled row that shows the question was denied.',
  },
  needs: ['guards', 'answers'],
  text: ({ question, round, waitMs, unheard, open }: { question: string; round: number; waitMs: number | null; unheard: boolean; open: boolean }) => (
    `${question} was asked in goal round ${round}, where nobody is expected to answer, and no guard stopped it${
      unheard ? '; its answer never reached the model' : open ? '; it never got a result' : waitMs !== null && waitMs > LONG_MS ? `; the run stood still for ${Math.round(waitMs / 1000)} s` : ''}.`),
  check({ facts: { guards, answers }, report }) {
    const unheard = new Set(answers.filter((a) => UNHEARD.has(a.state)).map((a) => a.call))
    for (const { question, gate, certainty, place } of guards.asks) {
      if (place !== 'goal-round' || gate !== 'service' || !question.round) continue
      const waitMs = question.settledTime === null ? null : question.settledTime - question.askedTime
      report({
        at: askedAt(question),
        args: { question: questionName(question), round: question.round.round, waitMs, unheard: unheard.has(question), open: question.outcome.kind === 'open' },
        certainty,
        ...(unheard.has(question) || (waitMs ?? 0) > LONG_MS ? { severity: 'error' } : {}),
        related: [{ seq: question.round.fromSeq, why: 'the goal round began here' }, ...(question.settledSeq === null ? [] : [{ seq: question.settledSeq, why: 'the question ended here' }])],
      })
    }
  },
})
