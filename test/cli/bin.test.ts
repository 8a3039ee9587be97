/** The built command as people start it; `npm test` builds it first. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LOG = 'fixtures/stuck-goal-run/session.jsonl'

function sh(command: string): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${command}`], { cwd: ROOT, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

test('a stuck run is sick, and inspecting it is no failure', () => {
  const { code, out, err } = sh(`node bin/inquest.js ${LOG}`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^SICK /)
})

test('--fail-on makes it one', () => {
  expect(sh(`node bin/inquest.js inspect --fail-on error ${LOG}`).code).toBe(1)
})

test('the same log gives the same bytes', () => {
  const json = () => sh(`node bin/inquest.js --format json ${LOG}`).out
  expect(json()).toBe(json())
})

test('standard input is a log too', () => {
  expect(sh(`node bin/inquest.js --quiet - < ${LOG}`).out).toMatch(/^SICK /)
})

test('a path that is not there is named, and the verdict incomplete', () => {
  expect(sh('node bin/inquest.js no-such.jsonl')).toMatchObject({ code: 3, out: expect.stringContaining('no-such.jsonl') })
})

test('a wrong option is wrong usage', () => {
  expect(sh('node bin/inquest.js --fromat json')).toMatchObject({ code: 2, out: '' })
})

test('a reader that stops early is no error', () => {
  expect(sh(`node bin/inquest.js --verbose --format json ${LOG} | head -1`)).toEqual({ code: 0, out: '{\n', err: '' })
  expect(sh('node bin/inquest.js --help | true')).toMatchObject({ code: 0, err: '' })
})
