import { describe, expect, it } from 'vitest'
import { fileChange, gaveOnlyAnError, isInfrastructureFailure } from '../../src/facts/tools.ts'
import type { LeafCall } from '../../src/facts/leaf-calls.ts'
import { fail, log } from '../support/log.ts'
import { fact } from '../support/rules.ts'

async function leaf(name: string, args: unknown, outcome: unknown = 'ok'): Promise<LeafCall> {
  const [only] = await fact(log().user('go', (t) => t.call(name, args, outcome)), 'leafCalls')
  if (!only) throw new Error('no call')
  return only
}

describe('a shell command', () => {
  it.each([
    ['look', 'ls -la src && wc -l src/*.js'],
    ['look', 'git status --short | head -3'],
    ['look', 'cat a 2>/dev/null || true'],
    ['look', 'grep -rn "rm -rf > x" .'],
    ['look', 'cd app && FOO=1 git log -3'],
    ['ask', 'curl -s https://example.org/health'],
    ['ask', 'ci show --branch main'],
    ['ask', 'sleep 30; kubectl get pods'],
    ['change', 'sed -i s/a/b/ x'],
    ['ask', 'gh run view 12'],
    ['ask', 'docker compose ps'],
    ['look', 'Get-Content a.txt | Select-String x'],
    ['ask', 'Get-Service Spooler | Select-Object Status'],
    ['note', 'Set-Content -Path a.txt -Value "x"'],
    ['change', 'Remove-Item a.txt'],
    ['note', 'echo done > status.txt'],
    ['change', './report > status.txt'],
    ['change', 'npm test && git commit -am x'],
    ['run', 'docker push registry/app'],
    ['run', 'kubectl apply -f web.yaml'],
    ['run', 'curl -X POST https://example.org/jobs'],
    ['run', 'npm test'],
    ['run', './verify.sh | tail -3'],
    ['run', 'npm test 2>&1 | tail -8'],
  ])('does: %s (%s)', async (does, command) => {
    expect((await leaf('bash', { command })).act).toBe(does)
  })
})

describe('a file change', () => {
  it('is told by its arguments, whatever the tool is called', async () => {
    expect(fileChange(await leaf('save_file', { path: 'a', content: 'x' }))).toEqual({ kind: 'write', path: 'a', content: 'x' })
    expect(fileChange(await leaf('multi_edit', { file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }, { old_string: 'p', new_string: 'q' }] })))
      .toEqual({ kind: 'edit', path: 'a', edits: [{ from: 'x', to: 'y' }, { from: 'p', to: 'q' }] })
    expect((await leaf('send_message', { to: 'a', content: 'x' })).act).toBe('other')
    expect((await leaf('edit', 'no json')).act).toBe('other')
  })
})

describe('a failure', () => {
  it('is an error, or another exit code than 0', async () => {
    expect((await leaf('read', {}, fail('no such file'))).failed).toBe(true)
    expect((await leaf('bash', { command: 'x' }, 'bad\n[exit code: 2]')).failed).toBe(true)
    expect((await leaf('bash', { command: 'x' }, 'fine\n[exit code: 0]')).failed).toBe(false)
    expect((await leaf('read', {}, 'it says\n[exit code: 2]')).failed).toBe(false)
  })

  it('with a result of its own is more than an error', async () => {
    expect(gaveOnlyAnError(await leaf('bash', { command: 'npm test' }, '3 failed\n[exit code: 1]'))).toBe(false)
    expect(gaveOnlyAnError(await leaf('bash', { command: 'push' }, '[stderr]\nlogin required\n[exit code: 1]'))).toBe(true)
  })

  it('of a service says nothing about the run', async () => {
    expect(isInfrastructureFailure(await leaf('bash', { command: 'curl x' }, fail('HTTP 503')))).toBe(true)
    expect(isInfrastructureFailure(await leaf('bash', { command: 'curl x' }, fail('HTTP 404')))).toBe(false)
    expect(isInfrastructureFailure(await leaf('bash', { command: 'cat log' }, 'HTTP 503 yesterday'))).toBe(false)
  })
})
