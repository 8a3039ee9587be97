import type { LeafCall } from '../facts/leaf-calls.ts'
import { readRun } from '../facts/run-outcome.ts'
import { defineRule } from './define.ts'
import { byProgram } from './nested-calls.ts'

export const unreadResult = defineRule({
  id: 'unread-result',
  family: 'answers',
  severity: 'info',
  docs: {
    what: 'A program did nothing but read (files, searches, job output), succeeded, and printed and returned nothing: what it read reached nobody.',
    why: 'The model paid for the call and knows no more than before; it often reads the same again. When it did within the same goal, the finding is a warning.',
    fix: 'Return or print what was read, or do not read it.',
    misses: 'A program that prints something else than what it read, and reads through tools and commands that might have done something.',
    disproof: 'Any output of the program, or a nested call that changed something.',
  },
  needs: ['leafCalls'],
  text: ({ tools, count, repeated }: { tools: string; count: number; repeated: boolean }) =>
    `${count === 1 ? 'One nested result' : `${count} nested results`} (${tools}) reached nobody: the program put nothing out${repeated ? ', and the same was called again later' : ''}.`,
  check({ facts: { leafCalls }, report }) {
    let lastOf: ReadonlyMap<string, number> | undefined
    for (const [call, nested] of byProgram(leafCalls)) {
      if (call.inherited || !call.result || !readRun(call.result).silent || !nested.every(onlyLooks)) continue
      const unread = nested.filter((leaf) => leaf.outcome?.isError === false)
      if (unread.length === 0) continue
      const last = lastOf ??= new Map(leafCalls.map((leaf) => [goalKey(leaf), leaf.seq]))
      const again = unread.filter((leaf) => (last.get(goalKey(leaf)) ?? 0) > (call.result?.seq ?? Infinity))
      report({
        at: { seq: call.result.seq, line: call.result.line, turn: call.turn, step: call.step },
        args: { tools: [...new Set(unread.map((leaf) => leaf.name))].join(', '), count: unread.length, repeated: again.length > 0 },
        certainty: 'proven', ...(again.length > 0 ? { severity: 'warning' } : {}),
        related: unread.slice(0, 5).map((leaf) => ({ seq: leaf.seq, why: `${leaf.name} was called here` })),
        fix: 'Return what the program read.',
      })
    }
  },
})

function onlyLooks({ act, name }: LeafCall): boolean {
  return act === 'read' || act === 'look' || act === 'ask' || act === 'poll' || (act === 'goal' && name !== 'update_goal')
}

function goalKey(leaf: LeafCall): string {
  return `${leaf.round?.goalId ?? ''} ${leaf.key}`
}
