import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { configSchema } from '../../src/cli/config.ts'
import type { Report } from '../../src/report/schema.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'
import { inquest } from './support.ts'

const healthy = report([session()])
const stuck = report([session(), stuckSession()])
const unreadable = { source: 'x.jsonl', code: 'not-a-log', text: 'is no log', rule: null }

let cwd = ''
beforeEach(() => { cwd = mkdtempSync(join(tmpdir(), 'inquest-check-')) })
afterEach(() => rmSync(cwd, { recursive: true }))

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), typeof content === 'string' ? content : JSON.stringify(content))
}

function read(path: string) {
  return JSON.parse(readFileSync(join(cwd, path), 'utf8'))
}

function check(args: string, found: Report = healthy) {
  return inquest(['check', ...args.split(' ').filter((a) => a !== '')], found, { cwd })
}

describe('exit codes', () => {
  test.each<[string, string, Report, number]>([
    ['a healthy run passes', 'runs', healthy, 0],
    ['an error fails', 'runs', stuck, 1],
    ['a warning passes by default', 'runs', report([session({ findings: [finding({ severity: 'warning' })] })]), 0],
    ['unless told otherwise', 'runs --fail-on warning', report([session({ findings: [finding({ severity: 'warning' })] })]), 1],
    ['an unreadable log among many makes the verdict incomplete', 'runs', report([session()], [unreadable]), 3],
    ['even beside an error', 'runs', report([stuckSession()], [unreadable]), 3],
    ['a limit that is kept', 'runs --max slow-answer=1', report([session({ findings: [finding({ rule: 'slow-answer', severity: 'info' })] })]), 0],
    ['a limit that is not', 'runs --max slow-answer=0', report([session({ findings: [finding({ rule: 'slow-answer', severity: 'info' })] })]), 1],
    ['nothing to check', '', healthy, 2],
  ])('%s', async (_, args, found, code) => {
    expect((await check(args, found)).code).toBe(code)
  })

  test('an assertion fails the run, and says what it found', async () => {
    const { code, out } = await inquest(['check', 'runs', '--assert', 'rounds <= 5'], healthy, { cwd })
    expect(code).toBe(1)
    expect(out).toMatch(/FAILED {6}1 demand not met\n {2}assertion {7}runs\/healthy\/session.jsonl: rounds <= 5 does not hold: 9\n$/)
  })
})

describe('wrong usage is said before anything is read', () => {
  test.each([
    ['runs --rule droped-answer=off', 'unknown rule droped-answer (did you mean dropped-answer?)'],
    ['runs --rule dropped-answer=eror', 'unknown level eror (did you mean error?)'],
    ['runs --rule dropped-answer', 'expected RULE=LEVEL'],
    ['runs --max dropped-answer=-1', 'expected a whole number'],
    ['runs --assert rouns<=3', 'unknown subject rouns (did you mean rounds?)'],
    ['runs --shard 3/2', 'expected I/N'],
    ['runs --shard 0/2', 'expected I/N'],
    ['runs --reason because', '--reason goes with --update-baseline'],
    ['runs --update-baseline --shard 1/2', 'needs the whole run'],
    ['runs --baseline none.json', 'none.json: no such baseline'],
    ['runs --config none.json', 'none.json: cannot be read'],
    ['runs --fail-onn error', "unknown option '--fail-onn'"],
  ])('%s', async (args, message) => {
    const { code, err, asked } = await check(args)
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain(message)
    expect(err.trimEnd()).not.toContain('\n')
  })
})

describe('configuration', () => {
  test('its settings hold, the command line over them', async () => {
    write('inquest.config.json', { logs: ['a', 'b'], failOn: 'info', rules: { 'slow-answer': 'off', 'late-answer': 'error' }, assert: ['rounds > 0'] })
    const { asked } = await check('--rule slow-answer=info --min-certainty likely')
    expect(asked[0]?.paths).toEqual(['a', 'b'])
    expect(asked[0]?.options).toMatchObject({ rules: { 'slow-answer': 'info', 'late-answer': 'error' }, minCertainty: 'likely' })
    expect((await check('c')).asked[0]?.paths).toEqual(['c'])
  })

  test('package.json has it too, but not both', async () => {
    write('package.json', { name: 'x', inquest: { logs: ['runs'] } })
    expect((await check('')).asked[0]?.paths).toEqual(['runs'])
    write('inquest.config.json', {})
    expect((await check('')).err).toContain('two configurations')
  })

  test('its paths are relative to it', async () => {
    write('ci/inquest.config.json', { logs: ['runs', '/abs'], baseline: 'known.json' })
    const { out } = await check('--config ci/inquest.config.json --print-config')
    expect(JSON.parse(out)).toMatchObject({ logs: ['ci/runs', '/abs'], baseline: 'ci/known.json' })
  })

  test('--print-config says everything and reads nothing', async () => {
    const { code, out, asked } = await check('runs --max slow-answer=2 --prune-check --print-config')
    expect([code, asked]).toEqual([0, []])
    expect(JSON.parse(out)).toEqual({ logs: ['runs'], failOn: 'error', minCertainty: 'possible', rules: {}, max: { 'slow-answer': 2 }, assert: [], baseline: null, pruneCheck: true })
  })

  test.each<[unknown, string]>([
    ['{', 'inquest.config.json: no JSON'],
    [{ failon: 'error' }, 'unknown key failon (did you mean failOn?)'],
    [{ rules: { 'droped-answer': 'off' } }, 'rules: unknown key droped-answer (did you mean dropped-answer?)'],
    [{ max: { 'idle-round': 1 } }, 'did you mean idle-rounds?'],
    [{ rules: { 'slow-answer': 'warn' } }, 'rules.slow-answer: "warn" is none of off, error, warning, info'],
    [{ failOn: 'errors' }, '(did you mean error?)'],
    [{ max: { 'slow-answer': 1.5 } }, 'max.slow-answer: '],
    [{ assert: ['goal.phase == done'] }, 'goal.phase is never done'],
    [[], 'expected object'],
  ])('%j is refused', async (config, message) => {
    write('inquest.config.json', config)
    const { code, err, asked } = await check('runs')
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain(message)
  })

  test("the README's example is valid", () => {
    const [, example = ''] = /```json\n([^`]*)```/.exec(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')) ?? []
    expect(Object.keys(configSchema.parse(JSON.parse(example)))).toContain('baseline')
  })

  test('init writes one that is valid, once', async () => {
    expect((await inquest(['init'], healthy, { cwd })).code).toBe(0)
    expect(() => configSchema.parse(read('inquest.config.json'))).not.toThrow()
    expect((await check('--print-config')).code).toBe(0)
    expect((await inquest(['init'], healthy, { cwd })).code).toBe(2)
  })
})

describe('globs', () => {
  test('what the shell left is expanded, by name, folders not entered twice', async () => {
    for (const file of ['runs/b/session.jsonl', 'runs/a/session.jsonl', 'runs/c.jsonl', 'other/d.jsonl']) write(file, '')
    expect((await check('runs/*')).asked[0]?.paths).toEqual(['runs/a', 'runs/b', 'runs/c.jsonl'])
    expect((await check('runs/**')).asked[0]?.paths).toEqual(['runs'])
    expect((await check('**/*.jsonl')).asked[0]?.paths).toEqual(['other/d.jsonl', 'runs/a/session.jsonl', 'runs/b/session.jsonl', 'runs/c.jsonl'])
    expect((await check(`${cwd}/runs/*.jsonl`)).asked[0]?.paths).toEqual([join(cwd, 'runs/c.jsonl')])
  })

  test('a file of that very name is no glob, and what matches nothing is passed on to be missed', async () => {
    write('runs[1].jsonl', '')
    expect((await check('runs[1].jsonl none/*.jsonl')).asked[0]?.paths).toEqual(['runs[1].jsonl', 'none/*.jsonl'])
  })
})

describe('baseline', () => {
  const update = (args = '') => check(`runs --update-baseline ${args}`, stuck)

  test('what was accepted passes, what is new fails', async () => {
    expect((await update('--reason known')).code).toBe(0)
    const { code, out } = await check('runs --baseline inquest.baseline.json', stuck)
    expect(code).toBe(0)
    expect(out).toMatch(/PASSED {6}3 accepted by the baseline\n$/)
    const worse = report([...stuck.sessions, session({ source: 'runs/new/session.jsonl', findings: [finding()] })])
    expect((await check('runs --baseline inquest.baseline.json', worse)).code).toBe(1)
  })

  test('the file names logs as seen from its own folder', async () => {
    mkdirSync(join(cwd, 'ci'))
    await update('--baseline ci/known.json --reason known')
    expect(read('ci/known.json').entries[0].source).toBe('../runs/stuck/session.jsonl')
    expect((await check('runs --baseline ci/known.json', stuck)).code).toBe(0)
  })

  test('every entry needs a reason', async () => {
    expect((await update()).out).toContain('write a reason for 3 of them')
    const { code, err, asked } = await check('runs --baseline inquest.baseline.json', stuck)
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain('no reason given for dropped-answer')
  })

  test('an update keeps the reasons that were written', async () => {
    await update('--reason first')
    await update('--reason second')
    expect(read('inquest.baseline.json').entries.map((e: { reason: string }) => e.reason)).toEqual(['first', 'first', 'first'])
  })

  test('a stale entry fails under --prune-check only', async () => {
    await update('--reason known')
    expect((await check('runs --baseline inquest.baseline.json')).code).toBe(0)
    const { code, out } = await check('runs --baseline inquest.baseline.json --prune-check')
    expect(code).toBe(1)
    expect(out).toContain('no longer occurs')
  })

  test('it is not updated from a run with an unreadable log', async () => {
    const { code, err } = await check('runs --update-baseline --reason known', report([stuckSession()], [unreadable]))
    expect(code).toBe(3)
    expect(err).toContain('was not updated')
    expect(existsSync(join(cwd, 'inquest.baseline.json'))).toBe(false)
  })

  test.each<[unknown, string]>([
    ['[', 'no JSON'],
    [{ schemaVersion: 2, entries: [] }, 'schemaVersion: 2 is none of 1'],
    [{ schemaVersion: 1, entries: [{ fingerprint: 'a', rule: 'x', text: '', reson: 'typo' }] }, 'unknown key reson (did you mean reason?)'],
  ])('a malformed one is refused: %j', async (content, message) => {
    write('known.json', content)
    const { code, err, asked } = await check('runs --baseline known.json')
    expect([code, asked]).toEqual([2, []])
    expect(err).toContain(message)
  })
})

describe('saved reports', () => {
  const save = async (name: string, found: Report, args = '') => check(`runs --output json=${join(cwd, name)} ${args}`, found)
  const run = (args: string) => inquest(args.split(' '), healthy, { cwd })

  test('report prints one again, in any format, with its exit code', async () => {
    await save('stuck.json', stuck)
    const { code, out } = await run('report stuck.json --format github')
    expect(code).toBe(1)
    expect(out).toMatch(/^::error file=runs\/stuck\/session.jsonl,line=170,title=dropped-answer::/)
    expect((await run('report stuck.json --format json')).out).toBe(readFileSync(join(cwd, 'stuck.json'), 'utf8'))
  })

  test('merge gives one verdict', async () => {
    await save('a.json', healthy)
    await save('b.json', stuck)
    const { code, out } = await run('merge a.json b.json --format agent')
    expect(code).toBe(1)
    expect(out).toContain('sick: 3 sessions')
  })

  test('diff tells new from fixed', async () => {
    await save('before.json', stuck)
    await save('after.json', healthy)
    expect(await run('diff before.json after.json')).toMatchObject({ code: 0, out: expect.stringMatching(/^0 new findings, 5 fixed, 0 unchanged\nfixed {2}error dropped-answer: /) })
    expect(await run('diff after.json before.json')).toMatchObject({ code: 1, out: expect.stringMatching(/^5 new findings, 0 fixed/) })
    expect(JSON.parse((await run('diff before.json after.json --json')).out).fixed).toHaveLength(5)
  })

  test.each([['report none.json', 'no such report'], ['report bad.json', 'not a report of this version: schemaVersion'], ['merge', "missing required argument 'REPORT'"]])('%s is wrong usage', async (args, message) => {
    write('bad.json', {})
    const { code, err } = await run(args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
