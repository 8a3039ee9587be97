import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { resolveSources, type LogSource, type ResolvedSources, type SourceOptions } from '../../src/source/index.ts'
import { chunksOf, decoded, headerRow, jsonl } from '../support/decoded.ts'
import { zip } from '../support/zip.ts'
import { zstdFrame, zstdLog } from '../support/zstd.ts'

let base = ''
let dir = ''
let count = 0
beforeAll(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'inquest-source-'))
})
afterAll(async () => rm(base, { recursive: true }))
beforeEach(async () => {
  count += 1
  dir = path.join(base, `${count}`)
  await mkdir(dir)
})

type Fields = { readonly [key: string]: unknown }
const rows = (events: number): unknown[] => Array.from({ length: events }, (_, seq) => ({ type: 'todo/write', seq, time: 5, data: { todos: [] } }))
const logText = (id: string, events = 1, version = 0, more: Fields = {}): string => jsonl([{ ...headerRow(version), id, ...more }, ...rows(events)])

async function put(name: string, content: string | Uint8Array): Promise<string> {
  const file = path.join(dir, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, content)
  return file
}
const resolve = async (names: readonly string[], options: SourceOptions = {}): Promise<ResolvedSources> =>
  resolveSources(names.map((name) => (name === '-' ? name : path.join(dir, name))), options)
const names = ({ logs }: ResolvedSources): string[] => logs.map((log) => log.name.replace(`${dir}/`, ''))
const codes = ({ failures }: ResolvedSources): string[] => failures.map((failure) => failure.code)
async function eventsOf(log: LogSource | undefined): Promise<number> {
  const chunks: Uint8Array[] = []
  for await (const chunk of log?.open() ?? []) chunks.push(Buffer.from(chunk))
  return (await decoded(chunks)).events.length
}

describe('files', () => {
  it('are logs whatever their name or encoding, and can be read twice', async () => {
    await put('a.jsonl', logText('a', 3))
    await put('b.txt', await zstdLog(logText('b', 4)))
    const found = await resolve(['a.jsonl', 'b.txt'])
    expect(found.failures).toEqual([])
    for (const [i, events] of [3, 4].entries()) {
      expect(await eventsOf(found.logs[i])).toBe(events)
      expect(await eventsOf(found.logs[i])).toBe(events)
    }
  })

  it('that cannot be analysed are failures with a reason, and the others are still read', async () => {
    await put('empty.jsonl', '')
    await put('text.jsonl', 'hello\nworld\n')
    await put('pi.jsonl', '{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}\n')
    await put('new.jsonl', logText('n', 1, 5))
    await put('log.jsonl.gz', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]))
    await put('no-line.jsonl', JSON.stringify(headerRow(0)))
    await put('good.jsonl', logText('g'))
    const found = await resolve(['missing.jsonl', 'empty.jsonl', 'text.jsonl', 'pi.jsonl', 'new.jsonl', 'log.jsonl.gz', 'no-line.jsonl', 'good.jsonl'])
    expect(codes(found)).toEqual(['not-found', 'empty', 'not-a-log', 'foreign-log', 'unsupported-version', 'foreign-encoding', 'not-a-log'])
    expect(found.failures.every((failure) => !failure.message.includes('\n') && failure.path.startsWith(dir))).toBe(true)
    expect(names(found)).toEqual(['good.jsonl'])
  })

  it('named twice, or by a link, are one input', async () => {
    const file = await put('a.jsonl', logText('a'))
    await symlink(file, path.join(dir, 'b.jsonl'))
    expect(names(await resolve(['a.jsonl', 'a.jsonl', 'b.jsonl']))).toEqual(['a.jsonl'])
  })
})

describe('folders', () => {
  it('are searched by name, around links that go in circles and files that are no logs', async () => {
    await put('root/b/session.jsonl', logText('b'))
    await put('root/a/session.jsonl.zstd', await zstdLog(logText('a')))
    await put('root/a/session.jsonl.abc.tmp', logText('t'))
    await put('root/a/other.jsonl', '{"x":1}\n')
    await put('root/a/empty.jsonl', '')
    await put('root/a/settings.yaml', 'x: 1')
    await symlink(path.join(dir, 'root'), path.join(dir, 'root/a/loop'))
    await symlink(path.join(dir, 'nowhere'), path.join(dir, 'root/gone'))
    const found = await resolve(['root'])
    expect(names(found)).toEqual(['root/a/session.jsonl.zstd', 'root/b/session.jsonl'])
    expect(found.failures).toEqual([])
  })

  it('without a log are a failure, and so is a log of a later format in them', async () => {
    await put('none/a.jsonl', '{"x":1}\n')
    await put('later/session.v9.jsonl', logText('n', 1, 9))
    expect(codes(await resolve(['none']))).toEqual(['no-logs'])
    expect(codes(await resolve(['later']))).toEqual(['unsupported-version'])
  })

  it('give the highest generation of a session, then the one with more events, and mention the others', async () => {
    await put('s/session.jsonl', logText('x', 9))
    await put('s/session.v3.jsonl', logText('x', 2, 3))
    await put('t/copy.jsonl', logText('y', 2))
    await put('t/session.jsonl', logText('y', 5))
    const found = await resolve(['s', 't'])
    expect(names(found)).toEqual(['s/session.v3.jsonl', 't/session.jsonl'])
    expect(found.logs.map((log) => log.issues.map((issue) => [issue.code, path.basename(issue.file)]))).toEqual([
      [['older-generation', 'session.jsonl']],
      [['duplicate-session', 'copy.jsonl']],
    ])
  })

  it('keep every file that was named, whatever session it holds', async () => {
    await put('s/session.jsonl', logText('x', 9))
    await put('s/session.v3.jsonl', logText('x', 2, 3))
    expect(names(await resolve(['s/session.jsonl', 's/session.v3.jsonl', 's']))).toEqual(['s/session.jsonl', 's/session.v3.jsonl'])
  })

  it('take equal placeholder ids of fixtures for different sessions', async () => {
    await put('f/a.jsonl', logText('{{sessionId}}'))
    await put('f/b.jsonl', logText('{{sessionId}}'))
    expect(names(await resolve(['f']))).toHaveLength(2)
  })

  it('give parents before their children, and survive sessions that are their own ancestors', async () => {
    await put('r/a.jsonl', logText('child', 1, 0, { parentSession: 'parent' }))
    await put('r/b.jsonl', logText('parent', 1, 0, { parentSession: 'grandparent' }))
    await put('r/c.jsonl', logText('grandparent'))
    await put('r/d.jsonl', logText('one', 1, 0, { parentSession: 'two' }))
    await put('r/e.jsonl', logText('two', 1, 0, { parentSession: 'one' }))
    expect((await resolve(['r'])).logs.map((log) => log.id)).toEqual(['grandparent', 'parent', 'child', 'two', 'one'])
  })
})

describe('zstd logs whose first frame is damaged', () => {
  it.each([['checksum', -1], ['structure', 4]])('are failures also within a folder (%s)', async (_what, at) => {
    const [header = '', body = ''] = logText('damaged', 2).split(/(?<=^[^\n]*\n)/)
    const frame = await zstdFrame(header)
    frame.writeUInt8(0xff ^ (frame.at(at) ?? 0), (at + frame.length) % frame.length)
    await put('runs/a/session.jsonl.zstd', Buffer.concat([frame, await zstdFrame(body)]))
    await put('runs/b/session.jsonl', logText('sound'))
    const found = await resolve(['runs'])
    expect(codes(found)).toEqual(['bad-zstd'])
    expect(names(found)).toHaveLength(1)
  })
})

describe('export zips', () => {
  it('give the session and its descendants, not attachments', async () => {
    await put('x.zip', zip({
      'session.v4.jsonl': logText('main', 2, 4),
      'subagents/abc/session.v4.jsonl': logText('sub', 1, 4, { parentSession: 'main' }),
      'media/sha256.jsonl': 'x',
      'files/ab/cd/notes.jsonl': '{}\n',
    }))
    const found = await resolve(['x.zip'])
    expect(names(found)).toEqual(['x.zip!session.v4.jsonl', 'x.zip!subagents/abc/session.v4.jsonl'])
    expect(await eventsOf(found.logs[0])).toBe(2)
    expect(await eventsOf(found.logs[0])).toBe(2)
  })

  it('that are torn, escape, or hold no log are failures', async () => {
    const good = zip({ 'session.jsonl': logText('main') })
    await put('torn.zip', good.subarray(0, good.length - 30))
    await put('slip.zip', zip({ '../../session.jsonl': logText('main') }))
    await put('none.zip', zip({ 'readme.txt': 'hello' }))
    await put('bad-entry.zip', zip({ 'session.jsonl': 'no log\n', 'subagents/a/session.jsonl': logText('sub') }))
    const found = await resolve(['torn.zip', 'slip.zip', 'none.zip', 'bad-entry.zip'])
    expect(codes(found)).toEqual(['bad-zip', 'bad-zip', 'no-logs', 'not-a-log'])
    expect(names(found)).toEqual(['bad-entry.zip!subagents/a/session.jsonl'])
  })

  it('with a wrong checksum are failures when the entry is read, and it alone', async () => {
    const bytes = zip({ 'session.jsonl': logText('main', 2), 'subagents/a/session.jsonl': logText('sub', 2) })
    const at = bytes.indexOf('seq":1')
    expect(at).toBeGreaterThan(0)
    bytes.write('5', at + 5)
    await put('flipped.zip', bytes)
    const [main, sub] = (await resolve(['flipped.zip'])).logs
    await expect(eventsOf(main)).rejects.toMatchObject({ code: 'bad-zip', message: expect.stringContaining('checksum of session.jsonl') })
    expect(await eventsOf(sub)).toBe(2)
  })

  it('that unpack to absurd sizes are refused before anything is unpacked', async () => {
    const bomb = zip({ 'session.jsonl': logText('main') })
    // Uncompressed size in the central directory.
    const at = bomb.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
    bomb.writeUInt16LE(8, at + 10)
    bomb.writeUInt32LE(0xf0000000, at + 24)
    await put('bomb.zip', bomb)
    expect(codes(await resolve(['bomb.zip']))).toEqual(['zip-limit'])
  })
})

describe('standard input', () => {
  it('is read for "-", or when nothing else is given', async () => {
    const bytes = await zstdLog(logText('in', 3))
    for (const paths of [['-'], []]) {
      const found = await resolve(paths, { stdin: chunksOf(bytes) })
      expect(names(found)).toEqual(['-'])
      expect(await eventsOf(found.logs[0])).toBe(3)
      expect(await eventsOf(found.logs[0])).toBe(3)
    }
  })

  it('that is not there, or empty, is a failure', async () => {
    expect(codes(await resolve(['-']))).toEqual(['no-stdin'])
    expect(codes(await resolve(['-'], { stdin: chunksOf('') }))).toEqual(['empty'])
  })
})

describe('captures of live events', () => {
  const live = (sessionId: string, seq: number, type = 'turn/start', data: Fields = { turn: 1 }): Fields => ({ sessionId, event: { type, seq, time: 70 + seq, data } })
  const rpc = (params: unknown): Fields => ({ jsonrpc: '2.0', method: 'session.event', params })

  it('give one log per session, from where the capture began', async () => {
    const receipt = { rootCallId: 'c', parentCallId: 'c', subCallId: 'c:ptc:1', name: 'read', arguments: {} }
    await put('rpc.jsonl', jsonl([
      { jsonrpc: '2.0', id: 1, result: {} },
      rpc(live('a', 5)), rpc(live('b', 0)), { jsonrpc: '2.0', method: 'session.status', params: { sessionId: 'a', status: 'busy' } },
      rpc(live('a', 6, 'tool/ptc-dispatch-start', receipt)),
    ]))
    const found = await resolve(['rpc.jsonl'])
    expect(names(found)).toEqual(['rpc.jsonl#a', 'rpc.jsonl#b'])
    expect(found.logs.map((log) => [log.id, log.version, log.size])).toEqual([['a', 3, null], ['b', 0, null]])
    const chunks: Uint8Array[] = []
    for await (const chunk of found.logs[0]?.open() ?? []) chunks.push(chunk)
    const read = await decoded(chunks)
    expect(read.events.map((event) => event.seq)).toEqual([5, 6])
    expect(read.issues).toEqual([])
    expect(read.header).toMatchObject({ id: 'a', version: 3, createdAt: 75 })
  })

  it('may be lines of the stream-json driver', async () => {
    await put('stream.jsonl', jsonl([{ type: 'session_event', ...live('a', 0) }, { type: 'session_event', ...live('a', 1) }]))
    const found = await resolve(['stream.jsonl'])
    expect(names(found)).toEqual(['stream.jsonl'])
    expect(await eventsOf(found.logs[0])).toBe(2)
    expect(found.logs[0]?.issues.map((issue) => issue.code)).toEqual(['live-capture'])
  })

  it('without events are a failure', async () => {
    await put('quiet.jsonl', jsonl([{ jsonrpc: '2.0', id: 1, result: {} }]))
    expect(codes(await resolve(['quiet.jsonl']))).toEqual(['no-events'])
  })
})

describe('without a path', () => {
  it('the newest session under the harness home is read', async () => {
    const old = await put('home/sessions/--srv--/a/session.jsonl', logText('old'))
    await put('home/sessions/--srv--/b/session.jsonl', logText('new'))
    const newest = await put('home/sessions/--srv--/b/session.v3.jsonl', logText('new', 2, 3))
    await utimes(old, 1000, 1000)
    await utimes(newest, 2000, 2000)
    await utimes(path.join(path.dirname(newest), 'session.jsonl'), 1500, 1500)
    const found = await resolveSources([], { env: { HOME: dir, DSH_HOME: '~/home' } })
    expect(names(found)).toEqual(['home/sessions/--srv--/b/session.v3.jsonl'])
  })

  it('and without sessions there is a failure', async () => {
    expect(codes(await resolveSources([], { env: { HOME: dir, DSH_HOME: ' ' } }))).toEqual(['no-logs'])
  })
})
