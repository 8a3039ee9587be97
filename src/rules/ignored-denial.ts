import type { Ask } from '../facts/guards.ts'
import { defineRule } from './define.ts'
import { sameMatter } from '../facts/same-matter.ts'
import { askedAt, questionName } from './words.ts'

const TIMES = 3

export const ignoredDenial = defineRule({
  id: 'ignored-denial',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'The same thing was asked three or more times in goal rounds although a guard denied it each time; the wording may differ.',
    why: 'The model does not take the denial for an answer: every further try costs a request and brings nothing.',
    fix: 'Let the reason of the guard name the way out (decide from what is known, or `update_goal` with action `blocked`), and say in the objective which decisions the model may take itself.',
    misses: 'Questions about one thing that share neither their id nor their options nor most of their wording are taken for different ones.',
    disproof: 'The questions are about different things.',
  },
  needs: ['guards'],
  text: ({ question, times }: { question: string; times: number }) => `${question} was asked ${times} times in goal rounds although it was denied each time.`,
  check({ facts: { guards }, report }) {
    const matters: Ask[][] = []
    for (const ask of guards.asks) {
      if (ask.gate !== 'guard' || ask.place !== 'goal-round') continue
      const known = matters.find((asks) => asks.some((a) => a.question.round?.goalId === ask.question.round?.goalId && sameMatter(a.question, ask.question)))
      if (known) known.push(ask)
      else matters.push([ask])
    }
    for (const asks of matters) {
      const insisted = asks[TIMES - 1]
      const last = asks.at(-1)
      if (!insisted || !last) continue
      report({
        at: askedAt(insisted.question),
        toSeq: last.question.settledSeq ?? last.question.askedSeq,
        args: { question: questionName(insisted.question), times: asks.length },
        certainty: asks.every((a) => a.certainty === 'proven') ? 'proven' : 'likely',
        related: asks.filter((a) => a !== insisted).map((a) => ({ seq: a.question.askedSeq, why: 'asked and denied here too' })),
      })
    }
  },
})
