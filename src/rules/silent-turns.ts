import type { Turn } from '../model/session.ts'
import { defineRule } from './define.ts'

const TURNS = 3

export const silentTurns = defineRule({
  id: 'silent-turns',
  family: 'loops',
  severity: 'warning',
  docs: {
    what: 'Three or more turns in a row had no visible text and no call.',
    why: 'The model was asked and gave nothing. That is often a sign of a context that is too full, of a broken template or of a provider that drops output.',
    fix: 'Look at the requests of these turns: size of the context, output limit, provider. A new session with a short summary usually helps.',
    misses: 'Turns that failed or were cut off are not counted: they have a cause of their own.',
    disproof: 'A visible text or a call in one of these turns.',
  },
  needs: [],
  text: ({ turns, first, last }: { turns: number; first: number; last: number }) => `In ${turns} turns in a row (${first} to ${last}) the model said nothing and called nothing.`,
  check({ session, report }) {
    let row: Turn[] = []
    const close = (): void => {
      const [first] = row
      const last = row.at(-1)
      if (first && last && row.length >= TURNS) {
        report({
          at: { seq: first.startSeq, line: first.line, turn: first.turn }, toSeq: last.end?.seq ?? last.startSeq,
          args: { turns: row.length, first: first.turn, last: last.turn }, certainty: 'proven',
        })
      }
      row = []
    }
    for (const turn of session.turns) {
      if (turn.steps.length === 0 || turn.inherited) continue
      if (isSilent(turn)) row.push(turn)
      else close()
    }
    close()
  },
})

function isSilent({ end, steps }: Turn): boolean {
  return end?.reason.kind === 'completed'
    && steps.every((s) => s.calls.length === 0 && s.message !== null && s.message.text.value.trim() === '')
}
