import type { Call } from '../model/session.ts'
import { isRecord, tryJson } from '../model/canonical.ts'
import { QUESTION_TOOL } from '../model/questions.ts'
import { defineRule } from './define.ts'

const LONG_MS = 600_000
/** Any of these in the arguments is a time limit the caller has set. */
const LIMIT = /^timeout(?:_?(?:ms|s|seconds|millis))?$/i

export const unboundedWait = defineRule({
  id: 'unbounded-wait',
  family: 'guards',
  severity: 'warning',
  docs: {
    what: 'A call stood open for more than ten minutes and had no time limit of its own: a question, an approval, a command.',
    why: 'Nothing in the harness ends such a wait. In a goal round the run stands still for as long as nobody looks.',
    fix: 'Give the call a timeout, run long commands as background jobs, and keep questions and approvals out of goal rounds by a guard or a permission preset.',
    misses: 'Calls that are still open at the end of the log, and waits inside programs: a program has a deadline.',
    disproof: 'A timeout around the call that the log does not show, such as a timeout policy of the host.',
  },
  needs: [],
  text: ({ tool, waitMs, by }: { tool: string; waitMs: number; by: string }) => `\`${tool}\` stood open for ${Math.round(waitMs / 60_000)} minutes without a time limit, waiting for ${by}.`,
  check({ session, report }) {
    const approvals = new Set(session.approvals.map((a) => a.callId))
    const subagents = new Set(session.subagents.map((s) => s.callId))
    for (const call of session.calls) {
      if (call.inherited || call.isProgram || !call.result || call.result.synthetic || subagents.has(call.callId) || hasLimit(call)) continue
      const waitMs = call.result.time - call.time
      if (waitMs <= LONG_MS) continue
      const human = call.name === QUESTION_TOOL || call.name === 'exit_plan_mode' || approvals.has(call.callId)
      report({
        at: call,
        toSeq: call.result.seq,
        args: { tool: call.name, waitMs, by: human ? 'a human' : 'the tool' },
        certainty: 'proven',
        ...(call.round ? {} : { severity: 'info' }),
        related: [{ seq: call.result.seq, why: 'the wait ended here' }],
      })
    }
  },
})

function hasLimit({ arguments: { value, whole } }: Call): boolean {
  const args = tryJson(value)
  return !whole || (isRecord(args) && Object.keys(args).some((key) => LIMIT.test(key)))
}
