import { lastUpTo } from '../model/ascending.ts'
import type { QueuedMessage, Session, Turn } from '../model/session.ts'
import { defineRule } from './define.ts'

/** How a queued message failed to arrive: it still waits, or it was taken from the queue and never shown. */
type Fate = 'left' | 'lost'

interface Missing {
  readonly message: QueuedMessage
  readonly fate: Fate
  readonly turn: Turn | null
}

export const undeliveredMessage = defineRule({
  id: 'undelivered-message',
  family: 'log',
  severity: 'warning',
  docs: {
    what: 'A message was queued for the model and never became part of the conversation: it still waits when the log ends, or a step took it from the queue and was then refused or failed.',
    why: 'Whoever wrote it believes the model has read it. A human who corrected the course is not heard; a notice of a finished job is not acted upon.',
    fix: 'Send the message again. If a hook or a failed request swallowed it, that is what to look at first.',
    misses: 'Goal rounds are queued anew by their driver and not counted. Messages that a human withdrew are no loss. A log that stops inside a turn may still deliver what waits.',
    disproof: 'A later message row with the same id, or the log going on with the message claimed.',
  },
  needs: [],
  text: ({ human, fate, count, ended, kinds }: { human: boolean; fate: Fate; count: number; ended: string | null; kinds: string }) => {
    const what = human ? `${count === 1 ? 'A message' : `${count} messages`} of the human` : `${count === 1 ? 'A queued message' : `${count} queued messages`} (${kinds})`
    return fate === 'left'
      ? `${what} still ${count === 1 ? 'waits' : 'wait'} in the queue at the end of the log.`
      : `${what} left the queue and never reached the model${ended === null ? '' : `: the turn ended as ${ended}`}.`
  },
  check({ session, report }) {
    const isOver = session.turns.at(-1)?.end !== null
    const shown = new Set(session.messages.map((m) => m.id))
    const lastQueued = new Map(session.inbox.map((m) => [m.id, m]))
    const missing: Missing[] = []
    for (const message of session.inbox) {
      if (message.seq < session.inheritedBefore || message.source.kind === 'goal') continue
      const turn = message.fateSeq === null ? null : turnAt(session, message.fateSeq)
      if (message.fate === 'left' && isOver) missing.push({ message, fate: 'left', turn: null })
      const isLast = message.id !== null && lastQueued.get(message.id) === message
      if (message.fate === 'claimed' && isLast && !shown.has(message.id) && turn?.end) missing.push({ message, fate: 'lost', turn })
    }
    for (const human of [true, false]) {
      for (const fate of ['left', 'lost'] as const) {
        const group = missing.filter((m) => isHuman(session, m.message) === human && m.fate === fate)
        const [first] = group
        if (!first) continue
        const ended = first.turn?.end?.reason.kind ?? null
        report({
          at: { seq: first.message.seq, line: first.message.line, turn: first.turn?.turn ?? null },
          args: { human, fate, count: group.length, ended, kinds: [...new Set(group.map((m) => m.message.source.kind))].join(', ') },
          certainty: fate === 'lost' ? 'proven' : 'likely',
          // A prompt that a hook refused, or a turn that the human cut off, is somebody's wish.
          severity: human && ended !== 'blocked' && ended !== 'aborted' ? 'warning' : 'info',
          related: group.flatMap(({ message }) => (message.fateSeq === null ? [] : [{ seq: message.fateSeq, why: 'it was taken from the queue here' }])),
        })
      }
    }
  },
})

/** A subagent's first prompt comes from its parent, whatever its source says. */
function isHuman({ header }: Session, { source }: QueuedMessage): boolean {
  return source.kind === 'user' && header.origin !== 'subagent'
}

function turnAt({ turns }: Session, seq: number): Turn | null {
  return lastUpTo(turns, (t) => t.startSeq, seq) ?? null
}
