import { readRun } from '../facts/run-outcome.ts'
import { changesFiles } from '../facts/tool-effects.ts'
import { isRecord, tryJson } from '../model/canonical.ts'
import type { Dispatch } from '../model/session.ts'
import { defineRule } from './define.ts'

export const lostWork = defineRule({
  id: 'lost-work',
  family: 'answers',
  severity: 'warning',
  docs: {
    what: 'A run failed after nested calls had changed files, and its text does not say which.',
    why: 'The changes stay, but the model only sees the failure: it may do the work again on files that are half changed.',
    fix: 'Look at the named files before running the program again; let programs print each change when it is done.',
    misses: 'Changes made by shell commands, and files the text names for another reason.',
    disproof: 'The path of every changed file in the failure text or its captured output.',
  },
  needs: [],
  text: ({ files, failure }: { files: readonly string[]; failure: string }) =>
    `The run failed (${failure}) after it had changed ${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}; the model was not told.`,
  check({ session, report }) {
    for (const call of session.calls) {
      const { result } = call
      if (call.inherited || !result?.isError) continue
      const { failure, text } = readRun(result)
      const silent = call.dispatches.filter((d) => changesFiles(d.name) && d.receipt?.isError === false && !text.includes(baseName(fileOf(d))))
      if (silent.length === 0 || failure === null) continue
      report({
        at: { seq: result.seq, line: result.line, turn: call.turn, step: call.step },
        args: { files: [...new Set(silent.map(fileOf))], failure }, certainty: 'proven',
        related: silent.slice(0, 5).map((d) => ({ seq: d.receipt?.seq ?? d.startSeq, why: `${fileOf(d)} was changed here` })),
      })
    }
  },
})

function fileOf({ name, arguments: args }: Dispatch): string {
  const value = tryJson(args.value)
  const path = isRecord(value) ? (value['file_path'] ?? value['path']) : undefined
  return typeof path === 'string' && path !== '' ? path : `a file (${name})`
}

function baseName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path
}
