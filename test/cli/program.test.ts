import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { answerStates, idleKinds, roundStates } from '../../src/facts/vocabulary.ts'
import { UsageError } from '../../src/errors.ts'
import { rules } from '../../src/rules/index.ts'
import { report, session, stuckSession } from '../support/report.ts'
import { inquest } from './support.ts'

const healthy = report([session()])
const sick = report([stuckSession()])
const incomplete = report([stuckSession()], [{ source: 'x.jsonl', code: 'not-found', text: 'there is no such file', rule: null }])

const folder = mkdtempSync(join(tmpdir(), 'inquest-cli-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('exit code', () => {
  test('0: inspecting finds things without failing', async () => {
    expect((await inquest(['a.jsonl'], sick)).code).toBe(0)
  })
  test.each([['error', 1], ['warning', 1], ['info', 1]])('1: a finding at or above %s', async (severity, code) => {
    expect((await inquest(['--fail-on', severity, 'a.jsonl'], sick)).code).toBe(code)
  })
  test('0: no finding reaches the threshold', async () => {
    expect((await inquest(['--fail-on', 'info', 'a.jsonl'], healthy)).code).toBe(0)
  })
  test('3 before 1, and what could be analysed is printed', async () => {
    const ran = await inquest(['--fail-on', 'error', 'a.jsonl', 'x.jsonl'], incomplete)
    expect(ran.code).toBe(3)
    expect(ran.out).toMatch(/^SICK/)
  })
  test('3: the analysis breaks, in one line', async () => {
    const ran = await inquest(['a.jsonl'], new Error('boom\nmore'))
    expect(ran).toMatchObject({ code: 3, out: '', err: 'inquest: boom more\n' })
  })
  test('the stack only under DEBUG', async () => {
    expect((await inquest(['a.jsonl'], new Error('boom'), { env: { DEBUG: '1' } })).err).toContain('program.test.ts')
  })
  test('2: the configuration is wrong', async () => {
    expect(await inquest(['a.jsonl'], new UsageError('bad rule'))).toMatchObject({ code: 2, err: 'inquest: bad rule\n' })
  })
})

describe('wrong usage', () => {
  test.each([
    ['an unknown format', ['--format', 'jsno', 'a.jsonl'], /did you mean json\?/],
    ['an unknown option', ['--fromat', 'json', 'a.jsonl'], /--format/],
    ['an unknown command', ['inspct'], /did you mean inspect\?/],
    ['an unknown severity', ['--fail-on', 'fatal', 'a.jsonl'], /error, warning, info/],
    ['an output without a path', ['--output', 'json', 'a.jsonl'], /FORMAT=PATH/],
    ['an output nowhere', ['--output', 'json=/no/such/folder/r.json', 'a.jsonl'], /cannot write/],
    ['an output onto a folder', ['--output', `json=${folder}`, 'a.jsonl'], /is a folder/],
    ['two reports for one file', ['--output', 'json=r', '--output', 'text=r', 'a.jsonl'], /two reports/],
    ['two reports for standard output', ['--format', 'json', '--output', 'text=-', 'a.jsonl'], /two reports/],
    ['quiet and verbose', ['--quiet', '--verbose', 'a.jsonl'], /cannot be used with/],
    ['an unknown rule', ['explain', 'droped'], /did you mean dropped\?/],
  ])('%s', async (_, argv, message) => {
    const ran = await inquest(argv, healthy)
    expect(ran).toMatchObject({ code: 2, out: '', asked: [] })
    expect(ran.err).toMatch(message)
    expect(ran.err).toMatch(/^inquest: [^\n]+\n$/)
  })

  test('a file that is called nearly like a command is a log', async () => {
    writeFileSync(join(folder, 'rule'), '')
    expect((await inquest(['rule'], healthy, { cwd: folder })).asked).toHaveLength(1)
  })
})

describe('inspect', () => {
  test('is what happens without a command', async () => {
    const bare = await inquest(['a.jsonl', 'b'], sick)
    expect(bare).toEqual({ ...(await inquest(['inspect', 'a.jsonl', 'b'], sick)), asked: bare.asked })
    expect(bare.asked[0]?.paths).toEqual(['a.jsonl', 'b'])
  })
  test('replays unless told not to', async () => {
    expect((await inquest(['a'], sick)).asked[0]?.options.replay).toBe(true)
    expect((await inquest(['--no-replay', 'a'], sick)).asked[0]?.options.replay).toBe(false)
  })
  test('reads standard input only when asked to', async () => {
    expect((await inquest([], sick)).asked[0]?.options.stdin).toBeUndefined()
    expect((await inquest(['-'], sick)).asked[0]?.options.stdin).toBeDefined()
  })
  test('failures go to standard error when the text is not on standard output', async () => {
    expect((await inquest(['--format', 'json', 'x.jsonl'], incomplete)).err).toBe('inquest: x.jsonl: there is no such file\n')
    expect((await inquest(['x.jsonl'], incomplete)).err).toBe('')
  })
})

describe('outputs', () => {
  test('several at once, text on standard output', async () => {
    const ran = await inquest(['--output', 'json=r.json', '--output', 'ndjson=r.ndjson', 'a'], sick, { cwd: folder, env: { FORCE_COLOR: '1' } })
    expect(ran.out).toContain('SICK')
    expect(JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'))).toEqual(sick)
    expect(readFileSync(join(folder, 'r.ndjson'), 'utf8').trimEnd().split('\n')).toHaveLength(5)
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
  test('- is standard output', async () => {
    expect(JSON.parse((await inquest(['--output', 'json=-', 'a'], sick)).out)).toEqual(sick)
  })
  test('a file gets no colour', async () => {
    await inquest(['--color', 'always', '--output', 'text=r.txt', 'a'], sick, { cwd: folder })
    expect(readFileSync(join(folder, 'r.txt'), 'utf8')).not.toContain('\u001b')
  })
})

describe('colour', () => {
  const isColored = async (argv: readonly string[], env: Record<string, string>, isTTY: boolean) => {
    let out = ''
    await inquest([...argv, 'a'], sick, { env, stdout: { isTTY, columns: 80, write: (text) => { out += text } } })
    return out.includes('\u001b[')
  }
  test.each([
    ['on a terminal', [], {}, true, true],
    ['not in a pipe', [], {}, false, false],
    ['not under NO_COLOR', [], { NO_COLOR: '1' }, true, false],
    ['not on a dumb terminal', [], { TERM: 'dumb' }, true, false],
    ['in a pipe under FORCE_COLOR', [], { FORCE_COLOR: '1' }, false, true],
    ['not under FORCE_COLOR=0', [], { FORCE_COLOR: '0' }, true, false],
    ['always, when told so', ['--color=always'], { NO_COLOR: '1' }, false, true],
    ['never, when told so', ['--color=never'], { FORCE_COLOR: '1' }, true, false],
  ])('%s', async (_, argv, env, isTTY, expected) => {
    expect(await isColored(argv, env, isTTY)).toBe(expected)
  })
})

describe('help', () => {
  test('shows examples and exit codes', async () => {
    const { code, out } = await inquest(['--help'], healthy)
    expect(code).toBe(0)
    expect(out).toContain('Examples:')
    expect(out).toContain('Exit codes:')
  })
  test('--version is the version of the package', async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    expect(manifest).toContain(`"version": "${(await inquest(['--version'], healthy)).out.trim()}"`)
  })
  test.each([...answerStates, ...roundStates, ...idleKinds, ...rules.map(({ id }) => id)])('explain %s', async (name) => {
    const { code, out } = await inquest(['explain', name], healthy)
    expect(code).toBe(0)
    expect(out.startsWith(`${name}  `)).toBe(true)
  })
  test('rules lists every rule once', async () => {
    const { out } = await inquest(['rules'], healthy)
    expect(out.split('\n').map((line) => line.split(' ')[0]).filter(Boolean)).toEqual(rules.map(({ id }) => id))
  })
})
