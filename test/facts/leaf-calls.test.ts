import { describe, expect, it } from 'vitest'
import { leafCallsFact, type LeafCall } from '../../src/facts/leaf-calls.ts'
import { createFacts } from '../../src/facts/index.ts'
import { createProgramAnalyser } from '../../src/programs/index.ts'
import { fail, log, type Log, type Turn } from '../support/log.ts'

async function leafCalls(l: Log): Promise<readonly LeafCall[]> {
  const session = await l.session()
  const programs = createProgramAnalyser({ replay: false })
  return leafCallsFact({ session, programs, get: createFacts(session, programs) })
}

describe('leaf calls', () => {
  it('are the nested calls of a program, and a program itself only when it called nothing', async () => {
    const calls = await leafCalls(log({ goal: 'x' }).round((r) => r
      .program('await tools.read({ path: "a" })', (p) => p.dispatch('read', { path: 'a' }, 'A').returns('A'))
      .program('return 1 + 1', (p) => p.returns('2'))
      .call('bash', { command: 'ls' }, 'a')))
    expect(calls.map((c) => c.name)).toEqual(['read', 'run_code', 'bash'])
    expect(calls.map((c) => c.round?.round)).toEqual([1, 1, 1])
  })

  it.each([0, 3, 4] as const)('have one key whatever the order, spacing or description of the arguments (format %i)', async (format) => {
    const calls = await leafCalls(log({ format }).user('go', (t) => t
      .call('bash', '{"command":"ls","description":"List"}', 'a')
      .call('bash', '{ "description": "Look again", "command": "ls" }', 'a')
      .program('…', (p) => p.dispatch('bash', { command: 'ls', description: 'x' }, 'a'))
      .call('bash', { command: 'ls -l' }, 'a')))
    const [first, second, nested, other] = calls.map((c) => c.key)
    expect(second).toBe(first)
    expect(nested).toBe(first)
    expect(other).not.toBe(first)
  })

  it('have one outcome key when only volatile parts differ, and another when the error flag does', async () => {
    const [a, b, c, d] = await leafCalls(log().user('go', (t) => t
      .call('bash', { command: 'x' }, '3 passed in 0.2s')
      .call('bash', { command: 'x' }, '3 passed in 1.9s')
      .call('bash', { command: 'x' }, '4 passed in 0.2s')
      .call('bash', { command: 'x' }, fail('3 passed in 0.2s'))))
    expect(b?.outcomeKey).toBe(a?.outcomeKey)
    expect(c?.outcomeKey).not.toBe(a?.outcomeKey)
    expect(d?.outcomeKey).not.toBe(a?.outcomeKey)
  })

  it('do not differ by the number of the round they were made in', async () => {
    const calls = await leafCalls(log({ goal: 'x' }).rounds(4, (r, i) => r
      .call('write', { file_path: 's.json', content: `{"round": ${i + 1},\n"at": "2026-05-09T12:25:0${i}.854Z"}` }, 'ok')))
    expect(new Set(calls.map((c) => c.key)).size).toBe(1)
    const pages = await leafCalls(log({ goal: 'x' }).rounds(3, (r, i) => r.call('write', { file_path: `page (${i + 1})`, content: 'to do' }, 'ok')))
    expect(new Set(pages.map((c) => c.key)).size).toBe(3)
  })

  it('do not take a count for the number of the round', async () => {
    const calls = await leafCalls(log({ goal: 'x' }).rounds(4, (r) => r.call('bash', { command: 'x' }, '3 failed')))
    expect(new Set(calls.map((c) => c.outcomeKey)).size).toBe(1)
  })

  it.each([
    ['a number that walks along with the rounds', (i: number) => ({ command: `./migrate --batch ${i + 1}` })],
    ['a date that names a file', (i: number) => ({ command: `grep ERROR app-2026-04-1${i}.log` })],
  ])('keep %s', async (_, args) => {
    const calls = await leafCalls(log({ goal: 'x' }).rounds(4, (r, i) => r.call('bash', args(i), `part ${i + 1} of 9`)))
    expect(new Set(calls.map((c) => c.key)).size).toBe(4)
    expect(new Set(calls.map((c) => c.outcomeKey)).size).toBe(4)
  })

  it('do not differ by a number that is called a round', async () => {
    const calls = await leafCalls(log({ goal: 'x' }).rounds(3, (r, i) => r.call('bash', { command: `./check --round ${i + 1}` }, `第${i + 1}轮: ok`)))
    expect(new Set(calls.map((c) => `${c.key} ${c.outcomeKey}`)).size).toBe(1)
  })

  it('are the same for the same text, though a result has shown a uuid in it since', async () => {
    const create = { id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301' }
    const [a, b] = await leafCalls(log().user('go', (t) => t.call('create_order', create, `created ${create.id}`).call('create_order', create, 'exists')))
    expect(b?.key).toBe(a?.key)
  })

  it('differ by a uuid that a result has shown, not by one made up', async () => {
    const uuid = (i: number): string => `3f2504e0-4f89-41d3-9a0c-0305e82c330${i}`
    const get = (t: Turn, first: number): Turn => [0, 1, 2].reduce((turn, i) => turn.call('get_order', { id: uuid(first + i) }, 'open'), t)
    const [, a, b, c, x, y, z] = await leafCalls(log().user('go', (t) => get(get(t.call('list_orders', {}, [0, 1, 2].map(uuid).join(' ')), 0), 5)))
    expect(new Set([a?.key, b?.key, c?.key]).size).toBe(3)
    expect(new Set([x?.key, y?.key, z?.key]).size).toBe(1)
  })

  it('have no outcome key when they never settled or a repair closed them', async () => {
    const open = log().user('go', (t) => t.call('read', { path: 'a' }, undefined, (c) => c.open()))
    expect((await leafCalls(open)).map((c) => c.outcomeKey)).toEqual([null])
    expect((await leafCalls(open.resume())).map((c) => c.outcomeKey)).toEqual([null])
  })
})
