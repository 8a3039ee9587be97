import { QUESTION_TOOL } from '../model/questions.ts'
import type { Call } from '../model/session.ts'
import { defineRule } from './define.ts'
import { askedAt, questionName } from './words.ts'

/** What JavaScript and Python say about a binding that is not there. */
const NO_BINDING = new RegExp(String.raw`\b${QUESTION_TOOL}\b['"]? is not (?:a function|defined)|has no attribute ['"]${QUESTION_TOOL}['"]`)

export const missingQuestionTool = defineRule({
  id: 'missing-question-tool',
  family: 'questions',
  severity: 'warning',
  docs: {
    what: 'The model tried to ask the human, but the question tool was not there, or was not callable in this way.',
    why: 'Nobody was asked. The question tool is part of the web presets only; in Code Mode it can be called from programs only.',
    fix: 'Mount the question tool in the composition if somebody is there to answer, or say in the objective that nobody can be asked.',
    misses: 'A session that lacks the tool and never tries to use it, and calls of tools under other names.',
    disproof: 'A declaration of the tool in the request in force.',
  },
  needs: [],
  text: ({ question, direct }: { question: string; direct: boolean }) => (direct
    ? `${question} was called directly, but in Code Mode only programs can ask: nobody was asked.`
    : `The model tried to ask ${question}, but this session has no question tool: nobody was asked.`),
  check({ session, report }) {
    for (const question of session.questions) {
      const { outcome } = question
      if (question.inherited || outcome.kind !== 'failed' || (outcome.error?.code !== 'UNKNOWN_TOOL' && !outcome.text.startsWith('Error: unknown tool "'))) continue
      // Only the refusal of a tool that programs can call names the one that can be called directly.
      const direct = outcome.text.includes('run_code')
      report({ at: askedAt(question), args: { question: questionName(question), direct }, certainty: 'proven', ...(direct && { severity: 'info' }) })
    }
    for (const call of session.calls) {
      if (!call.inherited && lacksBinding(call)) report({ at: call, args: { question: 'the human from a program', direct: false }, certainty: 'proven' })
    }
  },
})

function lacksBinding({ isProgram, result }: Call): boolean {
  return isProgram && result?.isError === true && NO_BINDING.test(result.text.value)
}
