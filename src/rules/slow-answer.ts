import { defineRule } from './define.ts'
import { askedAt, duration, questionName } from './words.ts'

const SLOW_MS = 120_000

export const slowAnswer = defineRule({
  id: 'slow-answer',
  family: 'questions',
  severity: 'info',
  docs: {
    what: 'The human took longer than two minutes to answer.',
    why: 'The run stood still meanwhile. In a goal round nobody was expected to be there at all.',
    fix: 'Ask before the unattended part begins, or let the goal round report the open decision with `update_goal` (blocked).',
    misses: 'Questions that were never answered; they are pending or aborted.',
    disproof: 'Row times that were rewritten after the recording.',
  },
  needs: [],
  text: ({ question, waitMs, round }: { question: string; waitMs: number; round: number | null }) =>
    `${question}: the run waited ${duration(waitMs)} for the human${round === null ? '' : ` in goal round ${round}`}.`,
  check({ session, report }) {
    for (const call of session.questions) {
      const waitMs = (call.settledTime ?? call.askedTime) - call.askedTime
      if (call.inherited || call.outcome.kind !== 'answered' || waitMs <= SLOW_MS) continue
      report({
        at: askedAt(call), args: { question: questionName(call), waitMs, round: call.round?.round ?? null }, certainty: 'proven',
        ...(call.round ? { severity: 'warning' } : {}), ...(call.settledSeq === null ? {} : { related: [{ seq: call.settledSeq, why: 'the answer came here' }] }),
      })
    }
  },
})
