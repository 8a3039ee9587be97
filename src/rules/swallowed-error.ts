import { occurrencesIn } from '../facts/literal.ts'
import { readRun } from '../facts/run-outcome.ts'
import { changesFiles } from '../facts/tool-effects.ts'
import { QUESTION_TOOL } from '../model/questions.ts'
import type { Call, Dispatch } from '../model/session.ts'
import { defineRule } from './define.ts'
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
  needs: [],
  text: ({ tool, error, count }: { tool: string; error: string; count: number }) =>
    `${count === 1 ? 'A nested call' : `${count} nested calls`} failed (${tool}: ${error}), and the result does not show it.`,
  check({ session, report }) {
    for (const call of session.calls) {
      const { result } = call
      if (call.inherited || !result || result.isError || call.dispatches.length === 0) continue
      const hidden = swallowed(call)
      const worst = hidden.find((d) => changesFiles(d.name)) ?? hidden[0]
      if (!worst) continue
      report({
        at: { seq: result.seq, line: result.line, turn: call.turn, step: call.step },
        args: { tool: worst.name, error: quoted(messageOf(worst)), count: hidden.length },
        certainty: 'likely', ...(changesFiles(worst.name) ? { severity: 'warning' } : {}),
        related: hidden.slice(0, 5).map((d) => ({ seq: d.receipt?.seq ?? d.startSeq, why: `${d.name} failed here` })),
        fix: 'Return the error message together with the rest of the result.',
      })
    }
  },
})

/** Any word that begins like "error" or "fail" tells the model that something did. */
const TELLS = /\b(?:\w*error|err\b|fail)/i

function swallowed(call: Call): readonly Dispatch[] {
  const failed = call.dispatches.filter((d) => d.receipt?.isError === true && d.name !== QUESTION_TOOL
    && !call.dispatches.some((other) => other.startSeq > d.startSeq && other.name === d.name && other.receipt?.isError === false && other.arguments.hash === d.arguments.hash))
  if (failed.length === 0 || !call.result) return []
  const { text, omittedBytes } = readRun(call.result)
  if (omittedBytes > 0 || !call.result.text.whole || TELLS.test(text)) return []
  const shown = occurrencesIn(text)
  return failed.filter((d) => !shown.has(messageOf(d)))
}

/** The first line of what the program caught. */
function messageOf({ receipt }: Dispatch): string {
  return (receipt?.text.value ?? '').replace(/^Error: /, '').split('\n', 1)[0] ?? ''
}
