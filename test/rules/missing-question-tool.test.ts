import { describe, expect, it } from 'vitest'
import { missingQuestionTool } from '../../src/rules/missing-question-tool.ts'
import { fail, log, question, type Failure, type Log } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const unknown = (text: string): Failure => fail(text, 'UNKNOWN_TOOL', 'ToolNotFoundError')
const ask = (outcome: unknown): Log => log().user('Ask', (t) => t.call('ask_user_question', { questions: [question('a', 'Which?')] }, outcome))
const crash = (text: string): Log => log().user('Ask', (t) => t.program('await tools.ask_user_question({})', (p) => p.fails(fail(`code run failed (exception): ${text}`, 'CODE_RUN_FAILED', 'CodeRunFailedError'))))

describe('missing-question-tool', () => {
  it('finds a call of a tool that is not there', async () => {
    expect(await findings(missingQuestionTool, ask(unknown('unknown tool "ask_user_question"')))).toMatchObject([{ args: { direct: false } }])
  })

  it('tells a direct call in Code Mode apart', async () => {
    expect(await findings(missingQuestionTool, ask(unknown('tool "ask_user_question" is not directly callable: run_code is the only directly callable tool')))).toMatchObject([{ severity: 'info', args: { direct: true } }])
  })

  it.each(['TypeError: tools.ask_user_question is not a function', "AttributeError: 'Tools' object has no attribute 'ask_user_question'"])('finds a program without the binding: %s', async (text) => {
    expect(await findings(missingQuestionTool, crash(text))).toHaveLength(1)
  })

  it('is content with answers and with other failures', async () => {
    expect(await findings(missingQuestionTool, ask({ answers: [{ id: 'a', selected: [], custom: 'this' }] }))).toEqual([])
    expect(await findings(missingQuestionTool, crash('TypeError: questions is not iterable'))).toEqual([])
  })
})
