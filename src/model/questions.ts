/**
 * Questions to the human, read from the arguments and results of `ask_user_question`.
 * Shapes: reference §4.1 (arguments), §4.2 (answers), §10.8 (timed questions).
 */
import type { ErrorIdentity } from '../decode/event.ts'
import { isRecord, tryJson } from './canonical.ts'
import type { ItemAnswer, Question, QuestionOutcome } from './session.ts'

export const QUESTION_TOOL = 'ask_user_question'

const QUESTION_KEYS = new Set(['id', 'question', 'header', 'options', 'multi_select'])
const OPTION_KEYS = new Set(['label', 'description'])

/** Reads the questions from an argument object; null when there is no `questions` array of objects. */
export function readQuestions(args: unknown): Question[] | null {
  if (!isRecord(args) || !Array.isArray(args['questions'])) return null
  const questions: Question[] = []
  for (const q of args['questions']) {
    if (!isRecord(q)) return null
    const options = Array.isArray(q['options']) ? q['options'].filter(isRecord) : []
    questions.push({
      id: typeof q['id'] === 'string' ? q['id'] : '',
      question: typeof q['question'] === 'string' ? q['question'] : '',
      header: typeof q['header'] === 'string' ? q['header'] : null,
      options: options.map((o) => ({
        label: typeof o['label'] === 'string' ? o['label'] : '',
        description: typeof o['description'] === 'string' ? o['description'] : null,
      })),
      multiSelect: q['multi_select'] === true,
      ignoredKeys: Object.keys(q).filter((k) => !QUESTION_KEYS.has(k)),
      ignoredOptionKeys: [...new Set(options.flatMap((o) => Object.keys(o)))].filter((k) => !OPTION_KEYS.has(k)),
    })
  }
  return questions
}

function readAnswer(value: unknown): ItemAnswer | null {
  if (!isRecord(value) || typeof value['id'] !== 'string' || !Array.isArray(value['selected'])) return null
  return {
    id: value['id'],
    selected: value['selected'].filter((s): s is string => typeof s === 'string'),
    custom: typeof value['custom'] === 'string' ? value['custom'] : null,
  }
}

/** Reads `{"answers":[…]}`; null when the value has another shape. */
export function readAnswers(value: unknown): ItemAnswer[] | null {
  if (!isRecord(value) || !Array.isArray(value['answers'])) return null
  const answers = value['answers'].map(readAnswer)
  return answers.every((a): a is ItemAnswer => a !== null) ? answers : null
}

/** The text the harness puts where it cut a spilled result (reference §3.7). */
export const SPILL_NOTE = /\n\n\(Omitted \d+ bytes\. Full formatted result stored at: [^\n]*\)\s*$/

/** What became of the call, from its result or receipt. */
export function readOutcome(settled: { isError: boolean; text: string; error: ErrorIdentity | null } | null): QuestionOutcome {
  if (!settled) return { kind: 'open' }
  if (settled.isError) return { kind: 'failed', text: settled.text, error: settled.error }
  const value = tryJson(settled.text)
  const answers = readAnswers(value)
  if (answers) return { kind: 'answered', answers, complete: true }
  if (isRecord(value) && value['pending'] === true) {
    return { kind: 'window-over', pendingCallId: typeof value['callId'] === 'string' ? value['callId'] : null }
  }
  if (SPILL_NOTE.test(settled.text)) return { kind: 'answered', answers: readSpilledAnswers(settled.text), complete: false }
  return { kind: 'unreadable', text: settled.text }
}

/** Whole answer objects at the front of a spilled receipt; a cut string contributes the part before the cut. */
function readSpilledAnswers(text: string): ItemAnswer[] {
  const body = text.replace(SPILL_NOTE, '')
  const answers: ItemAnswer[] = []
  const item = /\{"id":("(?:[^"\\]|\\.)*"),"selected":(\[(?:"(?:[^"\\]|\\.)*"(?:,(?="))?)*\])(?:,"custom":("(?:[^"\\]|\\.)*"?))?/g
  for (const m of body.matchAll(item)) {
    const id = tryJson(m[1] ?? '')
    const selected = tryJson(m[2] ?? '')
    const raw = m[3]
    const custom = raw === undefined ? null : tryJson(raw.endsWith('"') && raw.length > 1 ? raw : `${raw.replace(/\\[^"]?$/, '')}"`)
    if (typeof id === 'string' && Array.isArray(selected)) {
      answers.push({ id, selected: selected.filter((s): s is string => typeof s === 'string'), custom: typeof custom === 'string' ? custom : null })
    }
  }
  return answers
}
