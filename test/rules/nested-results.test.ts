import { describe, expect, it } from 'vitest'
import { lostWork } from '../../src/rules/lost-work.ts'
import { swallowedError } from '../../src/rules/swallowed-error.ts'
import { unreadResult } from '../../src/rules/unread-result.ts'
import { fail, log, type CallWriter, type Log } from '../support/log.ts'
import { findings } from '../support/rules.ts'

const READ = { file_path: 'src/app.ts' }
const WRITE = { file_path: 'src/app.ts', content: 'x' }

function program(...bodies: ((p: CallWriter) => unknown)[]): Log {
  return log({ goal: 'Ship' }).round((t) => {
    for (const body of bodies) t.program('await work()', body)
  })
}

describe('unread-result', () => {
  it('finds what was read and put out nowhere; reading it again makes it a warning', async () => {
    const once = await findings(unreadResult, program((p) => p.dispatch('read', READ, 'A').dispatch('grep', { pattern: 'x' }, 'B')))
    expect(once).toMatchObject([{ args: { tools: 'read, grep', count: 2, repeated: false } }])
    expect(once[0]?.severity).toBeUndefined()
    expect(await findings(unreadResult, program((p) => p.dispatch('read', READ, 'A'), (p) => p.dispatch('read', READ, 'A').returns('A')))).toMatchObject([{ severity: 'warning' }])
  })

  it('is silent when anything was put out, changed, or nothing was read with success', async () => {
    expect(await findings(unreadResult, program((p) => p.dispatch('read', READ, 'A').returns('1 line')))).toEqual([])
    expect(await findings(unreadResult, program((p) => p.dispatch('read', READ, 'A').dispatch('write', WRITE, 'ok')))).toEqual([])
    expect(await findings(unreadResult, program((p) => p.dispatch('read', READ, fail('no such file'))))).toEqual([])
  })
})

describe('swallowed-error', () => {
  it('finds a failed call that the result does not show; a failed change is a warning', async () => {
    expect(await findings(swallowedError, program((p) => p.dispatch('read', READ, fail('no such file')).returns('done')))).toHaveLength(1)
    expect(await findings(swallowedError, program((p) => p.dispatch('write', WRITE, fail('read-only file system')).returns('done')))).toMatchObject([{ severity: 'warning' }])
  })

  it('is silent when the result shows it, when it was tried again with success, or when the run failed', async () => {
    expect(await findings(swallowedError, program((p) => p.dispatch('write', WRITE, fail('read-only file system')).returns('skipped: read-only file system')))).toEqual([])
    expect(await findings(swallowedError, program((p) => p.dispatch('write', WRITE, fail('busy')).returns('the write failed')))).toEqual([])
    expect(await findings(swallowedError, program((p) => p.dispatch('write', WRITE, fail('busy')).dispatch('write', WRITE, 'ok').returns('done')))).toEqual([])
    expect(await findings(swallowedError, program((p) => p.dispatch('write', WRITE, fail('busy')).fails('exception', 'x')))).toEqual([])
  })
})

describe('lost-work', () => {
  it('finds changes that the text of a failed run does not tell', async () => {
    const l = program((p) => p.dispatch('write', WRITE, 'ok').fails('exception', 'TypeError: x is undefined'))
    expect(await findings(lostWork, l)).toMatchObject([{ args: { changes: ['src/app.ts'], failure: 'exception' }, at: { seq: l.seqs('tool/result')[0] } }])
  })

  it('is silent when the captured output names the file, when the change failed too, or when nothing was changed', async () => {
    expect(await findings(lostWork, program((p) => p.dispatch('write', WRITE, 'ok').prints('wrote src/app.ts').fails('exception', 'x')))).toEqual([])
    expect(await findings(lostWork, program((p) => p.dispatch('write', WRITE, fail('busy')).fails('exception', 'busy')))).toEqual([])
    expect(await findings(lostWork, program((p) => p.dispatch('read', READ, 'A').fails('exception', 'x')))).toEqual([])
  })
})
