import { describe, expect, it } from 'vitest'
import { argumentDrift } from '../../src/rules/argument-drift.ts'
import { callCycle } from '../../src/rules/call-cycle.ts'
import { flipFlop } from '../../src/rules/flip-flop.ts'
import { runawayArguments } from '../../src/rules/runaway-arguments.ts'
import { silentTurns } from '../../src/rules/silent-turns.ts'
import { fail, log, type Log, type Turn } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const reply = { id: 'm', role: 'assistant', source: { kind: 'model', provider: 'p', model: 'm' }, content: [] }
const start = (format: 0 | 4 = 4): Log => log({ format, goal: 'Ship it', tools: ['bash', 'write'] })

describe('call-cycle', () => {
  it('stands at the first call of the row and spans it', async () => {
    const l = start().rounds(5, (r) => r.call('bash', { command: 'ls' }, 'a'))
    expect(await findings(callCycle, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, toSeq: l.seqs('tool/result')[4], args: { tools: ['bash'], period: 1, repeats: 5 } }])
  })
})

describe('argument-drift', () => {
  it('stands at the first of the failures', async () => {
    const l = start().rounds(8, (r, i) => r.call('bash', { command: `x ${'-v'.repeat(i)}` }, fail('unknown flag')))
    expect(await findings(argumentDrift, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, args: { tool: 'bash', count: 8 } }])
  })
})

describe('flip-flop', () => {
  it('stands where the file first came back', async () => {
    const write = (r: Turn, content: string): Turn => r.call('write', { file_path: 'a.txt', content }, 'ok')
    const l = start().rounds(3, (r) => { write(r, 'on'); write(r, 'off') })
    expect(await findings(flipFlop, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[2] }, args: { path: 'a.txt', returns: 2 } }])
  })
})

describe('silent-turns', () => {
  it('finds three turns without a word or a call', async () => {
    const l = start().rounds(3, (r) => r.says(''))
    expect(await findings(silentTurns, l)).toMatchObject([{ args: { turns: 3, first: 1, last: 3 } }])
  })

  it('is silent about two, about failed turns, and where something is said', async () => {
    expect(await findings(silentTurns, start().rounds(2, (r) => r.says('')))).toEqual([])
    expect(await findings(silentTurns, start().rounds(3, (r) => r.says('').ends({ kind: 'error', error: { message: 'x', code: 'SERVER' } })))).toEqual([])
    expect(await findings(silentTurns, start().rounds(4, (r, i) => r.says(i === 2 ? '.' : '')))).toEqual([])
  })
})

describe('runaway-arguments', () => {
  it('finds long arguments that repeat themselves', async () => {
    const l = start().round((r) => r.call('write', { file_path: 'a', content: 'again and again. '.repeat(5000) }, 'ok'))
    expect(await findings(runawayArguments, l)).toMatchObject([{ at: { seq: l.seqs('tool/call')[0] }, args: { kind: 'repetitive', tool: 'write' } }])
  })

  it('leaves long arguments alone that say something', async () => {
    let seed = 1
    const words = Array.from({ length: 12_000 }, () => { seed = (seed * 48_271) % 2_147_483_647; return seed.toString(36) }).join(' ')
    expect(await findings(runawayArguments, start().round((r) => r.call('write', { file_path: 'a', content: words }, 'ok')))).toEqual([])
  })

  it('finds a call whose arguments the output limit cut off', async () => {
    const l = log({ format: 0, goal: 'Ship it' }).round((r) => r
      .row('step/start', { turn: 1, step: 1 })
      .row('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'tool-call-delta', index: 0, id: 'call-1', name: 'write', argumentsDelta: 'again '.repeat(500) } })
      .row('assistant/message', { turn: 1, step: 1, message: reply }, { surfaceOp: 'append', sourceEventSeqs: [] })
      .row('step/end', { turn: 1, step: 1 })
      .ends({ kind: 'max-tokens' }))
    expect(await findings(runawayArguments, l)).toMatchObject([{ at: { seq: l.seq }, args: { kind: 'cut' }, certainty: 'likely' }])
  })

  it('tells a cut call from the size of the row where the stream is part of it', async () => {
    const stream = (argumentsDelta: string): unknown[] => [{ type: 'chunk', time: 1, chunk: { type: 'tool-call-delta', index: 0, id: 'call-1', name: 'write', argumentsDelta } }]
    const cut = (size: number): Log => log({ goal: 'Ship it' }).round((r) => r
      .row('step/start', { turn: 1, step: 1 })
      .row('assistant/message', { turn: 1, step: 1, message: reply, stream: stream('again '.repeat(size)) }, { surfaceOp: 'append', sourceEventSeqs: [] })
      .row('step/end', { turn: 1, step: 1 })
      .ends({ kind: 'max-tokens' }))
    expect(await findings(runawayArguments, cut(5000))).toMatchObject([{ args: { kind: 'cut' }, certainty: 'possible' }])
    expect(await findings(runawayArguments, cut(100))).toEqual([])
  })

  it('is silent when the limit cut a text', async () => {
    expect(await findings(runawayArguments, start(0).round((r) => r.says('and so on '.repeat(3000)).ends({ kind: 'max-tokens' })))).toEqual([])
    expect(await findings(runawayArguments, start().round((r) => r.says('and so on '.repeat(3000)).ends({ kind: 'max-tokens' })))).toEqual([])
  })
})
