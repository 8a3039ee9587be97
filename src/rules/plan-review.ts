import type { Call, CallResult, Dispatch, Receipt } from '../model/session.ts'
import { defineRule } from './define.ts'
import { quoted } from './words.ts'

const TOOL = 'exit_plan_mode'

/** What the tool writes (dsh-plan-mode), after `Error: `; a feedback is the human's own text. */
const ENDS: readonly { readonly text: RegExp; readonly means: string; readonly severity: 'info' | 'warning' }[] = [
  { text: /^The user chose to keep planning; their feedback: ([^]*)/, means: 'the human wants it changed', severity: 'info' },
  { text: /^The user chose to keep planning/, means: 'the human chose to keep planning', severity: 'info' },
  { text: /^The user dismissed the plan review/, means: 'the human dismissed the review to speak instead', severity: 'info' },
  { text: /^exit_plan_mode is only available in plan mode/, means: 'the session was not in plan mode', severity: 'warning' },
  { text: /^exit_plan_mode requires a non-empty markdown plan/, means: 'the plan does not begin with a # heading', severity: 'warning' },
]

export const planReview = defineRule({
  id: 'plan-review',
  family: 'questions',
  severity: 'info',
  docs: {
    what: 'A plan review did not end in an approval. Internally it is one question with the intent `plan-review`, two options and the plan as detail, for which clients that know the intent show the plan-review card; the log has only its result.',
    why: 'The agent stays in plan mode. A review in a goal round waits for a human like any question, and in Code Mode the human’s feedback can be lost like any answer.',
    fix: 'Let a program return or rethrow what `exit_plan_mode` gives it, and do not run goals in plan mode without somebody to review.',
    misses: 'A plan question the model asked with `ask_user_question`: its `intent` is not read, and clients show the generic form.',
    disproof: 'A later approval of the same plan.',
  },
  needs: [],
  text: ({ means, feedback, unheard }: { means: string; feedback: string | null; unheard: boolean }) => (
    `The plan was not approved: ${means}${feedback === null ? '' : ` (${feedback})`}${unheard ? '; the program did not pass this on to the model' : ''}.`),
  check({ session, report }) {
    for (const call of session.calls) {
      if (call.inherited) continue
      if (call.name === TOOL) judge(call, call, call.result)
      for (const dispatch of call.dispatches) if (dispatch.name === TOOL) judge(call, dispatch, dispatch.receipt)
    }

    function judge(call: Call, asked: Call | Dispatch, result: CallResult | Receipt | null): void {
      if (result && !result.isError) return
      const text = result?.text.value.replace(/^Error: /, '') ?? ''
      const end = ENDS.find((e) => e.text.test(text))
      const feedback = end && (end.text.exec(text)?.[1]?.trim() ?? '')
      const unheard = asked !== call && !!feedback && call.result?.text.whole === true && !call.result.text.value.includes(feedback.slice(0, 40))
      report({
        at: { seq: 'seq' in asked ? asked.seq : asked.startSeq, line: asked.line, turn: call.turn, step: call.step },
        args: { means: end?.means ?? (result ? quoted(text) : 'it was still open when the log ends'), feedback: feedback ? quoted(feedback) : null, unheard },
        certainty: 'proven',
        severity: unheard || call.round ? 'warning' : (end?.severity ?? 'warning'),
        ...(result && { related: [{ seq: result.seq, why: 'the result of the review' }] }),
      })
    }
  },
})
