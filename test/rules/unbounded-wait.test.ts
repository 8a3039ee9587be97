import { describe, expect, it } from 'vitest'
import { unboundedWait } from '../../src/rules/unbounded-wait.ts'
import { log, type Turn } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const LONG = 11 * 60_000
const slow = (t: Turn, name: string, args: unknown, ms = LONG): Turn => t.call(name, args, undefined, (c) => c.wait(ms).returns('ok'))

describe('unbounded-wait', () => {
  it('finds a command that ran for ten minutes without a limit', async () => {
    const l = log({ goal: 'Build' }).round((t) => slow(t, 'bash', { command: 'make' }))
    expect(await findings(unboundedWait, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, args: { tool: 'bash', by: 'the tool' } }])
  })

  it('is only information where a human may be there', async () => {
    const l = log().user('Ask', (t) => slow(t, 'ask_user_question', { questions: [] }))
    expect(await findings(unboundedWait, l)).toMatchObject([{ severity: 'info', args: { by: 'a human' } }])
  })

  it.each<[string, (t: Turn) => unknown]>([
    ['the call has a limit', (t) => slow(t, 'bash', { command: 'make', timeout_ms: 900_000 })],
    ['it took nine minutes', (t) => slow(t, 'bash', { command: 'make' }, 9 * 60_000)],
    ['it is a program, which has a deadline', (t) => t.program('…', (p) => p.wait(LONG).returns('ok'))],
  ])('is content when %s', async (_, script) => {
    expect(await findings(unboundedWait, log({ goal: 'Build' }).round(script))).toEqual([])
  })
})
