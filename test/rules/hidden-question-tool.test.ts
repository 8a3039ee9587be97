import { describe, expect, it } from 'vitest'
import { hiddenQuestionTool } from '../../src/rules/hidden-question-tool.ts'
import { log, type Format } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const bindings = (...names: string[]): string => `Programs may call:\ninterface Tools {\n${names.map((n) => `  ${n}: {\n    a: string;\n  };`).join('\n')}\n}`
const ALL = bindings('read', 'ask_user_question')
const LESS = `${bindings('read')}\nDo not ask: ask_user_question is gone during goal rounds.`

describe('hidden-question-tool', () => {
  it.each([0, 2, 3, 4] as const)('finds goal rounds whose header lacks the tool (format %i)', async (format) => {
    const l = log({ format, goal: 'Ship', tools: ['read', 'ask_user_question'] }).round((t) => t.says('One'))
      .header({ tools: ['read'] }).round((t) => t.says('Two')).round((t) => t.says('Three')).header({ tools: ['read', 'ask_user_question'] }).round((t) => t.says('Four'))
    expect(await findings(hiddenQuestionTool, l)).toMatchObject([{ at: { seq: l.seqs('request/header')[1] }, args: { rounds: 2 } }])
  })

  it('finds Code Mode rounds whose system text declares other tools but not this one', async () => {
    const l = log({ format: 0 as Format, goal: 'Ship', system: ALL }).round((t) => t.program('…', (p) => p.dispatch('read', {}).returns('x')))
      .header({ system: LESS }).round((t) => t.says('Two'))
    expect(await findings(hiddenQuestionTool, l)).toMatchObject([{ at: { seq: l.seqs('request/header')[1] }, args: { rounds: 1 } }])
  })

  it('does not judge a system text without any declaration', async () => {
    const l = log({ format: 0 as Format, goal: 'Ship', system: ALL }).round((t) => t.program('…', (p) => p.dispatch('read', {}).returns('x')))
      .header({ system: 'Be brief.' }).round((t) => t.says('Two'))
    expect(await findings(hiddenQuestionTool, l)).toEqual([])
  })

  it('is content with a session that never had the tool', async () => {
    expect(await findings(hiddenQuestionTool, log({ goal: 'Ship', tools: ['read'] }).round((t) => t.says('One')))).toEqual([])
  })

  it('is content when only human turns lack it', async () => {
    const l = log({ goal: 'Ship', tools: ['read', 'ask_user_question'] }).round((t) => t.says('One'))
      .header({ tools: ['read'] }).user('Hi', (t) => t.says('Hi')).header({ tools: ['read', 'ask_user_question'] }).round((t) => t.says('Two'))
    expect(await findings(hiddenQuestionTool, l)).toEqual([])
  })
})
