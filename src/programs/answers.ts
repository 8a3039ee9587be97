/** Questions and answers as this room needs them, and the other answers a human could have given. */
import type { NestedCall } from './types.ts'

export const QUESTION_TOOL = 'ask_user_question'

export interface Answer { readonly id: string; readonly selected: readonly string[]; readonly custom?: string }

export interface AskedItem {
  readonly call: NestedCall
  readonly index: number
  readonly id: string
  readonly labels: readonly string[]
  readonly multiSelect: boolean
  /** Null: no answer in the receipt. */
  readonly answer: Answer | null
  /** All answers of the receipt. */
  readonly answers: readonly Answer[]
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAnswer(value: unknown): value is Answer {
  return isRecord(value) && typeof value['id'] === 'string' && Array.isArray(value['selected']) && value['selected'].every((s) => typeof s === 'string')
    && (value['custom'] === undefined || typeof value['custom'] === 'string')
}

export function readAnswers(text: string): readonly Answer[] {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && Array.isArray(value['answers']) && value['answers'].every(isAnswer) ? value['answers'] : []
  } catch {
    return []
  }
}

export function askedItems(calls: readonly NestedCall[]): AskedItem[] {
  const items: AskedItem[] = []
  for (const call of calls) {
    if (call.tool !== QUESTION_TOOL || !isRecord(call.arguments) || !Array.isArray(call.arguments['questions'])) continue
    const answers = call.result && !call.result.isError ? readAnswers(call.result.text) : []
    call.arguments['questions'].forEach((question: unknown, index) => {
      const q = isRecord(question) ? question : {}
      const options = Array.isArray(q['options']) ? q['options'].filter(isRecord) : []
      items.push({
        call, index, answers,
        id: typeof q['id'] === 'string' ? q['id'] : '',
        labels: options.flatMap((o) => (typeof o['label'] === 'string' ? [o['label']] : [])),
        multiSelect: q['multi_select'] === true,
        answer: answers[index] ?? null,
      })
    })
  }
  return items
}

/** Selected labels in order, then the custom text. */
export function valuesOf(answer: Answer): string[] {
  return answer.custom === undefined ? [...answer.selected] : [...answer.selected, answer.custom]
}

export interface OtherAnswer {
  readonly answer: Answer
  /** Same kind: label for label, text for text; other numbers of ticked labels included. */
  readonly sameKind: boolean
  /** The value it invents, which stands nowhere else, and the position of the value it stands for. */
  readonly invented: { readonly value: string; readonly at: number } | null
  /** Position of the selected label it drops, all else the same. */
  readonly dropped: number | null
  /** An offered label it selects instead of the only selected one. */
  readonly offered: string | null
}

/** Invented words: no part of any language's usual text, JSON or markup. */
const WORDS = ['qzvorbex', 'wumplith', 'jaxodrine']

export function otherAnswers(item: AskedItem, answer: Answer): OtherAnswer[] {
  const { id, selected, custom } = answer
  const rest = custom === undefined ? {} : { custom }
  const others: OtherAnswer[] = []
  const add = (sameKind: boolean, changed: Answer, invented: OtherAnswer['invented'] = null, offered: string | null = null, dropped: number | null = null): void => {
    others.push({ answer: changed, sameKind, invented, offered, dropped })
  }
  const [word = '', word2 = '', word3 = ''] = WORDS
  selected.forEach((s, at) => {
    add(true, { id, selected: selected.map((old, i) => (i === at ? word : old)), ...rest }, { value: word, at })
    const value = alike(s)
    add(true, { id, selected: selected.map((old, i) => (i === at ? value : old)), ...rest }, { value, at })
  })
  if (custom !== undefined) {
    for (const value of [word, `${word2} ${word3} ${word} ${word2}, ${word3} 12`, '73', `${word3}\n${word2}`, alike(custom)]) add(true, { id, selected, custom: value }, { value, at: selected.length })
  }
  if (selected.length > 0) {
    for (const label of item.labels.slice(0, 12)) {
      const same = selected.length === 1 && selected[0] === label
      if (!same) add(true, { id, selected: [label], ...rest }, null, selected.length === 1 ? label : null)
    }
    if (item.multiSelect) {
      add(true, { id, selected: item.labels, ...rest })
      if (selected.length > 1) for (let i = 0; i < Math.min(selected.length, 6); i++) add(true, { id, selected: selected.filter((_, j) => j !== i), ...rest }, null, null, i)
    }
    add(false, { id, selected: item.multiSelect ? selected : [], custom: custom === undefined ? word3 : `${custom} ${word3}` })
  } else {
    for (const label of [...item.labels.slice(0, 3), word]) add(false, { id, selected: [label] })
  }
  add(false, { id, selected: [] })
  return others
}

/** A text of the same shape: other letters, all else the same, so that it passes the tests a program makes on the form of an answer. */
function alike(value: string): string {
  return value.replace(/\p{L}/gu, (letter) => {
    const small = letter.toLowerCase()
    const other = String.fromCharCode(97 + ((small.charCodeAt(0) * 7 + 10) % 26))
    return small === letter ? other : other.toUpperCase()
  })
}

/** The receipt with this item answered otherwise. */
export function receiptWith(item: AskedItem, changed: Answer): string {
  return JSON.stringify({ answers: item.answers.map((a, i) => (i === item.index ? changed : a)) })
}
