import { occurrencesIn } from '../programs/literal.ts'
import { readRun } from '../facts/run-outcome.ts'
import type { LeafCall } from '../facts/leaf-calls.ts'
import { QUESTION_TOOL } from '../model/questions.ts'
import type { CallResult } from '../model/session.ts'
import { defineRule } from './define.ts'
import { byProgram, changesFiles } from './nested-calls.ts'
import { quoted } from './words.ts'

export const swallowedError = defineRule({
  id: 'swallowed-error',
  family: 'answers',
  severity: 'info',
  docs: {
    what: 'A nested call failed, the program caught it and succeeded, and its result shows no trace of the failure.',
    why: 'The model believes that the call worked. For a tool that changes files the finding is a warning: the file is not what the model thinks it is.',
    fix: 'Put the error message into the result when a call is allowed to fail.',
    misses: 'A program that tells of the failure in words of its own without the word error or failed counts as silent; questions are left to the rules about them.',
    disproof: 'The error message or a word for the failure in the result, or the same call repeated with success in the same program.',
  },
  needs: ['leafCalls'],
  text: ({ tool, error, count }: { tool: string; error: string; count: number }) =>
    `${count === 1 ? 'A nested call' : `${count} nested calls`} failed (${tool}: ${error}), and the result does not show it.`,
  check({ facts: { leafCalls }, report }) {
    for (const [call, nested] of byProgram(leafCalls)) {
      const { result } = call
      if (call.inherited || !result || result.isError) continue
      const hidden = hiddenFailures(nested, result)
      const worst = hidden.find(changesFiles) ?? hidden[0]
      if (!worst) continue
      report({
        at: { seq: result.seq, line: result.line, turn: call.turn, step: call.step },
        args: { tool: worst.name, error: quoted(messageOf(worst)), count: hidden.length },
        certainty: 'likely', ...(changesFiles(worst) ? { severity: 'warning' } : {}),
        related: hidden.slice(0, 5).map((leaf) => ({ seq: leaf.outcome?.seq ?? leaf.seq, why: `${leaf.name} failed here` })),
        fix: 'Return the error message together with the rest of the result.',
      })
    }
  },
})

/** Any word that begins like "error" or "fail" tells the model that something did. */
const TELLS = /\b(?:\w*error|err\b|fail)/i

function hiddenFailures(nested: readonly LeafCall[], result: CallResult): readonly LeafCall[] {
  const lastSuccess = new Map(nested.filter((leaf) => leaf.outcome?.isError === false).map((leaf) => [leaf.key, leaf.seq]))
  const failed = nested.filter((leaf) => leaf.outcome?.isError === true && leaf.name !== QUESTION_TOOL && (lastSuccess.get(leaf.key) ?? -1) < leaf.seq)
  const { text, omittedBytes } = readRun(result)
  if (failed.length === 0 || omittedBytes > 0 || !result.text.whole || TELLS.test(text)) return []
  const shown = occurrencesIn(text)
  return failed.filter((leaf) => shown.countAnywhere(messageOf(leaf)) === 0)
}

/** The first line of what the program caught. */
function messageOf({ outcome }: LeafCall): string {
  return (outcome?.text.value ?? '').replace(/^Error: /, '').split('\n', 1)[0] ?? ''
}
