import { readRun } from '../facts/run-outcome.ts'
import type { LeafCall } from '../facts/leaf-calls.ts'
import { isRecord, tryJson } from '../model/canonical.ts'
import { defineRule } from './define.ts'
import { byProgram, changesFiles } from './nested-calls.ts'

export const lostWork = defineRule({
  id: 'lost-work',
  family: 'answers',
  severity: 'warning',
  docs: {
    what: 'A run failed after nested calls had changed files, and its text does not say which.',
    why: 'The changes stay, but the model only sees the failure: it may do the work again on files that are half changed.',
    fix: 'Look at the named files before running the program again; let programs print each change when it is done.',
    misses: 'Shell commands whose effect cannot be told from their words, and files the text names for another reason.',
    disproof: 'The path of every changed file in the failure text or its captured output.',
  },
  needs: ['leafCalls'],
  text: ({ changes, failure }: { changes: readonly string[]; failure: string }) =>
    `The run failed (${failure}) after work was done that the model was not told of: ${changes.slice(0, 3).join(', ')}${changes.length > 3 ? ` and ${changes.length - 3} more` : ''}.`,
  check({ facts: { leafCalls }, report }) {
    for (const [call, nested] of byProgram(leafCalls)) {
      const { result } = call
      if (call.inherited || !result?.isError || !result.text.whole) continue
      const { failure, text } = readRun(result)
      const untold = nested.filter((leaf) => changesFiles(leaf) && leaf.arguments.whole && leaf.outcome?.isError === false && !text.includes(lastPart(changeOf(leaf))))
      if (untold.length === 0 || failure === null) continue
      report({
        at: { seq: result.seq, line: result.line, turn: call.turn, step: call.step },
        args: { changes: [...new Set(untold.map(changeOf))], failure }, certainty: 'proven',
        related: untold.slice(0, 5).map((leaf) => ({ seq: leaf.outcome?.seq ?? leaf.seq, why: `${leaf.name} succeeded here` })),
      })
    }
  },
})

/** The file, or the command. */
function changeOf({ name, arguments: args }: LeafCall): string {
  const value = tryJson(args.value)
  const what = isRecord(value) ? (value['file_path'] ?? value['path'] ?? value['command']) : undefined
  return typeof what === 'string' && what !== '' ? what : name
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path
}
