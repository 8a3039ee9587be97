import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The step's script, as the runner would give it to bash. */
const script = (/ {6}run: \|\n([^]*)$/.exec(readFileSync(join(root, 'action.yml'), 'utf8'))?.[1] ?? '').replace(/^ {8}/gm, '')

let folder = ''
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'inquest-action-')) })
afterEach(() => rmSync(folder, { recursive: true }))

function step(inputs: { readonly LOGS: string; readonly ARGS?: string; readonly SARIF?: string }) {
  const env = {
    ...process.env, ARGS: '', SARIF: '', FOLDER: '.', ...inputs,
    GITHUB_ACTION_PATH: root, GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary'), RUNNER_TEMP: folder,
  }
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { cwd: root, env, encoding: 'utf8' })
}

test('a stuck run fails the step, with annotations, a summary, a report and SARIF', () => {
  const { status, stdout } = step({ LOGS: 'fixtures/stuck-goal-run\n', SARIF: join(folder, 'inquest.sarif') })
  expect(status).toBe(1)
  expect(stdout).toMatch(/^::error file=fixtures\/stuck-goal-run\/session.jsonl,line=\d+,title=/)
  for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^::(?:error|warning|notice) /)
  expect(readFileSync(join(folder, 'summary'), 'utf8')).toMatch(/^## inquest: sick, failed\n/)
  const report = /^report=(.*)$/m.exec(readFileSync(join(folder, 'output'), 'utf8'))?.[1] ?? ''
  expect(JSON.parse(readFileSync(report, 'utf8')).summary.verdict).toBe('sick')
  expect(JSON.parse(readFileSync(join(folder, 'inquest.sarif'), 'utf8')).version).toBe('2.1.0')
})

test('options go one word per line, logs may have spaces', () => {
  expect(step({ LOGS: 'fixtures/healthy-goal-run', ARGS: '--assert\nrounds <= 20\n' }).status).toBe(0)
  expect(step({ LOGS: 'no such folder' }).status).toBe(3)
})
