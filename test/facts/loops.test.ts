import { describe, expect, it } from 'vitest'
import { fail, log, type Log, type Turn } from '../support/log.ts'
import { fact } from '../support/rules.ts'

const start = (): Log => log({ goal: 'Ship it', tools: ['bash', 'read', 'edit', 'job_output', 'get_goal', 'deploy'] })
const run = (r: Turn, command: string, result: unknown = 'ok'): Turn => r.call('bash', { command }, result)
const repeat = (times: number, body: (r: Turn, i: number) => unknown) => (r: Turn): void => { for (let i = 0; i < times; i += 1) body(r, i) }

async function cycles(l: Log): Promise<string[]> {
  return (await fact(l, 'loops')).cycles.map((c) => `${c.period}x${c.repeats}`)
}

describe('cycles', () => {
  it.each([
    ['a single call, five times', 5, ['a'], '1x5'],
    ['two in turn, four times', 4, ['a', 'b'], '2x4'],
    ['five, four times', 4, ['a', 'b', 'c', 'd', 'e'], '5x4'],
  ])('are found: %s', async (_name, times, commands, expected) => {
    expect(await cycles(start().round(repeat(times, (r) => commands.forEach((c) => run(r, c)))))).toEqual([expected])
  })

  it('are found over rounds and whatever the time in the result', async () => {
    expect(await cycles(start().rounds(5, (r, i) => run(r, 'verify', `ok at 21:04:3${i}`)))).toEqual(['1x5'])
  })

  it('of failures need one repeat less', async () => {
    expect(await cycles(start().round(repeat(4, (r) => run(r, 'push', fail('denied')))))).toEqual(['1x4'])
    expect(await cycles(start().round(repeat(4, (r) => run(r, 'push'))))).toEqual([])
  })

  it('are none when the arguments or the outcomes move on', async () => {
    expect(await cycles(start().round(repeat(6, (r, i) => run(r, `grep w${'o'.repeat(i)}rd`))))).toEqual([])
    expect(await cycles(start().round(repeat(6, (r, i) => run(r, 'ls', 'x'.repeat(i)))))).toEqual([])
    expect(await cycles(start().round(repeat(6, (r, i) => { r.call('edit', { file_path: `${'a'.repeat(i)}.ts`, old_string: 'x', new_string: 'y' }, 'ok'); run(r, 'npm test') })))).toEqual([])
  })

  it('are none when the outside changes later, is down, or the human asks for each', async () => {
    expect(await cycles(start().round(repeat(7, (r, i) => r.call('deploy', { look: true }, i < 6 ? 'pending' : 'live'))))).toEqual([])
    expect(await cycles(start().round(repeat(7, (r) => run(r, 'curl x', fail('503 Service Unavailable')))))).toEqual([])
    const asked = start()
    for (let i = 0; i < 6; i += 1) asked.user('again', (t) => run(t, 'npm test'))
    expect(await cycles(asked)).toEqual([])
  })

  it('are none when rows hold only polls or goal tools', async () => {
    expect(await cycles(start().round(repeat(8, (r) => r.call('job_output', { job_id: 'bash-1' }, 'running'))))).toEqual([])
    expect(await cycles(start().round(repeat(8, (r) => r.call('get_goal', {}, '{"goal":null}'))))).toEqual([])
  })
})

describe('drifts', () => {
  const guesses = (times: number, message: (i: number) => string): Log => start().round(repeat(times, (r, i) => r.call('deploy', { region: 'n'.repeat(i + 1) }, fail(message(i)))))

  it('are eight failures of one kind under varying arguments', async () => {
    expect((await fact(guesses(8, (i) => `unknown region "${'n'.repeat(i + 1)}"`), 'loops')).drifts.map((d) => d.calls.length)).toEqual([8])
    expect((await fact(guesses(7, () => 'unknown region'), 'loops')).drifts).toEqual([])
  })

  it('are none when each error is another one, or the arguments stay', async () => {
    expect((await fact(guesses(8, (i) => `missing field ${'abcdefgh'[i]}`), 'loops')).drifts).toEqual([])
    expect((await fact(start().round(repeat(8, (r) => r.call('deploy', { region: 'n' }, fail('unknown region')))), 'loops')).drifts).toEqual([])
  })
})

describe('flip-flops', () => {
  const edit = (r: Turn, from: string, to: string): Turn => r.call('edit', { file_path: 'a.ts', old_string: from, new_string: to }, 'ok')

  it('are files that come back to one content twice', async () => {
    const l = start().rounds(2, (r) => { edit(r, 'off', 'on'); edit(r, 'on', 'off') })
    expect((await fact(l, 'loops')).flipFlops).toMatchObject([{ path: 'a.ts', returns: [{}, {}] }])
  })

  it('are none when a try is taken back once', async () => {
    const l = start().round((r) => { edit(r, 'off', 'on'); edit(r, 'on', 'off') }).round((r) => edit(r, 'off', 'maybe'))
    expect((await fact(l, 'loops')).flipFlops).toEqual([])
  })
})
