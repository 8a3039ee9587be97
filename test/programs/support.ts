import type { NestedCall, ProgramInput } from '../../src/programs/index.ts'

/** A question for one call: Left, Right or Up. */
export const ASK = "tools.ask_user_question({ questions: [{ id: 'way', question: 'Which way?', options: [{ label: 'Left' }, { label: 'Right' }, { label: 'Up' }] }] })"

const question = (id: string, multiSelect: boolean): unknown =>
  ({ id, question: 'Which way?', options: [{ label: 'Left' }, { label: 'Right' }, { label: 'Up' }], ...(multiSelect ? { multi_select: true } : {}) })

export interface Reply { readonly id: string; readonly selected: readonly string[]; readonly custom?: string }

export function asked(number: number, answers: readonly Reply[], options: { readonly multiSelect?: boolean } = {}): NestedCall {
  return {
    subCallId: `call:code:${number}`, number, tool: 'ask_user_question',
    arguments: { questions: answers.map(({ id }) => question(id, options.multiSelect === true)) },
    result: { isError: false, text: JSON.stringify({ answers }) },
  }
}

export function called(number: number, tool: string, args: unknown, text: string, isError = false): NestedCall {
  return { subCallId: `call:code:${number}`, number, tool, arguments: args, result: { isError, text } }
}

export const LEFT = asked(1, [{ id: 'way', selected: ['Left'] }])

/** `code` with ASK for the question; one call, answered with Left, unless others are given. */
export function program(code: string, text: string, calls: readonly NestedCall[] = [LEFT], isError = false): ProgramInput {
  return { code: code.replaceAll('ASK', ASK), language: 'typescript', calls, outer: { isError, text } }
}
