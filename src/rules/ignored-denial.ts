import type { Ask } from '../facts/guards.ts'
import { defineRule } from './define.ts'
import { matterOf, sameMatter, type Matter } from '../facts/same-matter.ts'
import { groupBy } from '../group.ts'
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
    const denied = groupBy(guards.asks.filter((a) => a.gate === 'guard' && a.place === 'goal-round'), (a) => a.question.round?.goalId)
    for (const asks of [...denied.values()].flatMap(byMatter)) {
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

function byMatter(asks: readonly Ask[]): Ask[][] {
  const matters: { readonly asks: Ask[]; readonly known: Matter[] }[] = []
  for (const ask of asks) {
    const matter = matterOf(ask.question)
    const found = matters.find(({ known }) => known.some((k) => sameMatter(k, matter)))
    if (found) {
      found.asks.push(ask)
      found.known.push(matter)
    } else matters.push({ asks: [ask], known: [matter] })
  }
  return matters.map((m) => m.asks)
}
