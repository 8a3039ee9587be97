/** ignored-question-field, ambiguous-question, invalid-answer: what stands in questions and answers. */
import { describe, expect, it } from 'vitest'
import { ambiguousQuestion } from '../../src/rules/ambiguous-question.ts'
import { ignoredQuestionField } from '../../src/rules/ignored-question-field.ts'
import { invalidAnswer } from '../../src/rules/invalid-answer.ts'
import { fail, log, question, type Log, type QuestionItem } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const COLOUR = question('colour', 'Which colour?', ['Red', 'Blue'])
const ask = (items: readonly unknown[], outcome: unknown = { answers: [] }): Log => log({ tools: ['ask_user_question'] }).user('Ask', (t) => t.call('ask_user_question', { questions: items }, outcome))

describe('ignored-question-field', () => {
  it('warns when a misspelt multi_select leaves the question single-choice', async () => {
    expect(await findings(ignoredQuestionField, ask([{ ...COLOUR, multiSelect: true }]))).toMatchObject([{ severity: 'warning', args: { fields: ['multiSelect'], single: true } }])
  })

  it('names fields of options too', async () => {
    expect(await findings(ignoredQuestionField, ask([{ ...COLOUR, detail: '…', options: [{ label: 'Red', value: 1 }] }]))).toMatchObject([{ args: { fields: ['detail', 'options[].value'], single: false } }])
  })

  it('is content with the fields the tool reads, and with calls it refused', async () => {
    expect(await findings(ignoredQuestionField, ask([{ ...COLOUR, header: 'Colour', multi_select: true }]))).toEqual([])
    expect(await findings(ignoredQuestionField, ask([{ id: 'a', text: 'Which?' }], fail('invalid arguments: questions[0]: missing required property "question"', 'INVALID_ARGS', 'ToolArgsError')))).toEqual([])
  })
})

describe('ambiguous-question', () => {
  it.each<[string, QuestionItem[], string | undefined]>([
    ['one id twice', [COLOUR, { ...COLOUR, question: 'And the frame?' }], undefined],
    ['one label twice', [question('c', 'Which?', ['Red', 'Blue', 'Red'])], undefined],
    ['labels that read the same once shown', [question('c', 'Which?', ['Red (Recommended)', 'Red'])], undefined],
    ['a blank text', [question('c', '  ')], undefined],
    ['a recommendation that is not first', [question('c', 'Which?', ['Red', 'Blue (recommended)'])], 'info'],
    ['a recommendation in full-width brackets', [question('c', '用哪个？', ['甲', '乙（推荐）'])], 'info'],
    ['two recommendations', [question('c', 'Which?', ['Red (Recommended)', 'Blue (Recommended)'])], 'info'],
  ])('finds %s', async (_, items, severity) => {
    const found = await findings(ambiguousQuestion, ask(items))
    expect(found).toHaveLength(1)
    expect(found[0]?.severity).toBe(severity)
  })

  it('is content with a plain question and with its recommendation first', async () => {
    expect(await findings(ambiguousQuestion, ask([COLOUR, question('d', 'Which?', ['A (Recommended)', 'B'])]))).toEqual([])
  })
})

describe('invalid-answer', () => {
  const answer = (...answers: unknown[]): unknown => ({ answers })

  it.each([
    ['too few', [COLOUR, question('note', 'Note?')], answer({ id: 'colour', selected: ['Red'] }), '1 answers to 2 questions'],
    ['another order', [COLOUR, question('note', 'Note?')], answer({ id: 'note', selected: [] }, { id: 'colour', selected: [] }), 'answer 1 is to “note” instead of “colour”'],
    ['a choice twice', [{ ...COLOUR, multi_select: true }], answer({ id: 'colour', selected: ['Red', 'Red'] }), 'a choice stands in it twice'],
    ['a blank text', [COLOUR], answer({ id: 'colour', selected: [], custom: ' ' }), 'its own text is blank'],
    ['choice and text', [COLOUR], answer({ id: 'colour', selected: ['Red'], custom: 'dark' }), 'a choice and an own text where only one of them may be'],
    ['two choices', [COLOUR], answer({ id: 'colour', selected: ['Red', 'Blue'] }), '2 choices where one was asked for'],
    ['a choice that was not offered', [COLOUR], answer({ id: 'colour', selected: ['Green'] }), '“Green” is no option of the question'],
  ])('finds %s', async (_, items, outcome, problem) => {
    expect(await findings(invalidAnswer, ask(items, outcome))).toMatchObject([{ args: { problem } }])
  })

  it.each([
    ['a choice', answer({ id: 'colour', selected: ['Red'] })],
    ['a text', answer({ id: 'colour', selected: [], custom: 'Green' })],
    ['a skipped question', answer({ id: 'colour', selected: [] })],
    ['no answer', fail('the user cancelled ask_user_question', 'ASK_CANCELLED')],
  ])('is content with %s', async (_, outcome) => {
    expect(await findings(invalidAnswer, ask([COLOUR], outcome))).toEqual([])
  })
})
