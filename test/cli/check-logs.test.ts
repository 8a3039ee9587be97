import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { diagnose } from '../../src/index.ts'
import { run } from '../../src/cli/program.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'inquest-shards-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function inquest(...argv: string[]) {
  let out = ''
  let err = ''
  const stdin = (async function* () {})()
  const code = await run(argv, { stdout: { write: (t) => { out += t } }, stderr: { write: (t) => { err += t } }, stdin, env: {}, cwd, onInterrupt: () => () => undefined }, diagnose)
  return { code, out, err }
}

test('a stuck run fails, a healthy one passes', async () => {
  expect((await inquest('check', 'fixtures/stuck-goal-run')).code).toBe(1)
  expect((await inquest('check', 'fixtures/healthy-goal-run', '--fail-on', 'warning', '--assert', 'goal.phase == complete', '--assert', 'answers.dropped == 0', '--assert', 'tools.used contains run_code')).code).toBe(0)
})

test('a rule that is off is not checked, a level holds for all its findings', async () => {
  const { out } = await inquest('check', 'fixtures/stuck-goal-run', '--rule', 'dropped-answer=off', '--rule', 'idle-rounds=info', '--format', 'json')
  const [session] = JSON.parse(out).sessions
  expect(session.checked).not.toContain('dropped-answer')
  expect(session.findings.filter((f: { rule: string }) => f.rule === 'dropped-answer')).toEqual([])
  expect(session.findings.filter((f: { rule: string }) => f.rule === 'idle-rounds').map((f: { severity: string }) => f.severity)).toEqual(['info'])
})

test('a glob that matches nothing makes the verdict incomplete', async () => {
  const { code, out } = await inquest('check', 'fixtures/healthy-goal-run', 'fixtures/none-*/*.jsonl')
  expect(code).toBe(3)
  expect(out).toMatch(/UNREADABLE {2}fixtures\/none-\*\/\*\.jsonl\n/)
  expect(out).toMatch(/FAILED {6}1 not analysed\n$/)
})

test('three shards of the fixtures, merged, are the whole run byte for byte', { timeout: 120_000 }, async () => {
  const check = (name: string, ...more: string[]) => inquest('check', 'fixtures', '--quiet', '--assert', 'rounds <= 100', '--output', `json=${join(folder, name)}`, ...more)
  await check('whole.json')
  for (const n of [1, 2, 3]) await check(`${n}.json`, '--shard', `${n}/3`)
  const merged = await inquest('merge', ...[3, 1, 2].map((n) => join(folder, `${n}.json`)), '--format', 'json')
  expect(merged.out).toBe(readFileSync(join(folder, 'whole.json'), 'utf8'))
  expect(JSON.parse(merged.out).sessions.length).toBeGreaterThan(3)
})
