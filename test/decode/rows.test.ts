import { describe, expect, it } from 'vitest'
import { decoded, headerRow, jsonl, type Decoded } from '../support/decoded.ts'

const start = (seq: number, turn = 1): unknown => ({ type: 'turn/start', seq, time: 2000 + seq, data: { turn } })
const end = (seq: number, turn = 1): unknown => ({ type: 'turn/end', seq, time: 2000 + seq, data: { turn, reason: { kind: 'completed' } } })
const chunk = (seq: number, type = 'text-delta'): unknown => ({ type: 'assistant/chunk', seq, time: 2000 + seq, data: { turn: 1, step: 1, chunk: { type, index: 0, text: 'x' } } })
const packed = (seq0: number, members: number): unknown => ({
  type: 'text-chunks', seq0, time0: 2000 + seq0,
  data: { turn: 1, step: 1, index: 0, dt: Array.from({ length: members - 1 }, () => 1), texts: Array.from({ length: members }, () => 'y') },
})
const log = async (rows: readonly unknown[], version = 0): Promise<Decoded> => decoded(jsonl([headerRow(version), ...rows]))
const told = ({ issues }: Decoded): string[] => issues.map((issue) => `${issue.code} ${issue.line ?? '-'} ${issue.harness}`)
const seqs = ({ events }: Decoded): number[] => events.map((event) => event.seq)

describe('sequence', () => {
  it('counts packed rows by their members and folds a run of chunk rows into one event', async () => {
    const read = await log([start(0), chunk(1), packed(2, 3), chunk(5, 'tool-call-delta'), end(6)])
    expect(read.issues).toEqual([])
    expect(read.events[1]).toMatchObject({ type: 'stream', seq: 1, lastSeq: 5, rows: 3, line: 3, toolCallBytes: JSON.stringify(chunk(5, 'tool-call-delta')).length })
  })

  it('tells a gap once and goes on behind it', async () => {
    const read = await log([start(0), chunk(1), chunk(5), start(6, 2)])
    expect(told(read)).toEqual(['sequence-gap 4 drop-tail'])
    expect(seqs(read)).toEqual([0, 1, 5, 6])
  })

  it('leaves out rows that were read before', async () => {
    const read = await log([start(0), chunk(1), end(2), start(0), chunk(1), end(2), start(3, 2)])
    expect(told(read)).toEqual(['sequence-repeat 5 refuse'])
    expect(seqs(read)).toEqual([0, 1, 2, 3])
  })

  it('does not count the seqs of an unreadable row as a gap of their own', async () => {
    const read = await decoded(`${jsonl([headerRow(0), start(0)])}{"type":\n${jsonl([start(4, 2)])}`)
    expect(told(read)).toEqual(['unparsable-line 3 drop-tail'])
    expect(seqs(read)).toEqual([0, 4])
  })

  it('is given to rows of fixtures that have none', async () => {
    const bare = (row: unknown): unknown => JSON.parse(JSON.stringify(row).replace(/"(seq|time|seq0|time0)":\d+,/gu, ''))
    const rows = [start(0), chunk(1), packed(2, 3), end(5)]
    const read = await log(rows.map(bare))
    expect(read.issues).toEqual([])
    expect(seqs(read)).toEqual([0, 1, 5])
  })
})

describe('what the harness does with a row it cannot take', () => {
  it('is to drop the tail, unless a turn ends in the same or a later row', async () => {
    expect(told(await log([start(0), start(5, 2)]))).toEqual(['sequence-gap 3 drop-tail'])
    expect(told(await log([start(0), end(5)]))).toEqual(['sequence-gap 3 refuse'])
    expect(told(await log([start(0), start(5, 2), end(6, 2)]))).toEqual(['sequence-gap 3 refuse'])
  })

  it('hides everything after it', async () => {
    const read = await decoded(`${jsonl([headerRow(0), start(0)])}\n\n${jsonl([{ type: 'x/y', seq: 1, time: 1, data: {} }])}`)
    expect(told(read)).toEqual(['blank-line 4 not-read', 'unknown-event 5 not-read', 'blank-line 3 drop-tail'])
  })

  it.each([
    ['blank-line', ''],
    ['unparsable-line', '  '],
    ['unparsable-line', '{"type":"turn/start","seq":1,'],
    ['malformed-row', '{"type":"text-chunks","seq0":1,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[1],"texts":["a"]}}'],
    ['malformed-envelope', '[1]'],
    ['malformed-envelope', '{"type":"turn/start","seq":-1,"time":1,"data":{}}'],
  ])('%s is told, and the next row is read', async (code, line) => {
    const read = await decoded(`${jsonl([headerRow(0), start(0)])}${line}\n${jsonl([end(1)])}`)
    expect(told(read)).toEqual([`${code} 3 refuse`])
    expect(seqs(read)).toEqual([0, 1])
  })

  it('a last line without a line break is not read', async () => {
    const read = await decoded(jsonl([headerRow(0), start(0), end(1)]).slice(0, -1))
    expect(told(read)).toEqual(['torn-line 3 drop-tail'])
    expect(seqs(read)).toEqual([0])
  })
})

describe('envelope', () => {
  it('tells an unknown type once, with how often it came', async () => {
    const foreign = (seq: number, more = {}): unknown => ({ type: 'acme/note', seq, time: 1, data: {}, ...more })
    const read = await log([foreign(0), foreign(1), foreign(2)])
    expect(told(read)).toEqual(['unknown-event 2 refuse'])
    expect(read.issues[0]?.text).toContain('3 times')
    expect(read.events[0]).toMatchObject({ type: 'other', name: 'acme/note' })
    expect(told(await log([foreign(0, { ignorable: true })]))).toEqual(['unknown-event 2 accept'])
  })

  it('must have a surfaceOp exactly on surface types', async () => {
    const message = { type: 'user/message', seq: 0, time: 1, data: { id: 'm', role: 'user', content: [], source: { kind: 'user' } } }
    expect(told(await log([message]))).toEqual(['surface-op 2 refuse'])
    expect(told(await log([{ ...message, surfaceOp: 'append' }]))).toEqual([])
    expect(told(await log([{ type: 'turn/start', seq: 0, time: 1, data: { turn: 1 }, surfaceOp: 'append' }]))).toEqual(['surface-op 2 refuse'])
  })

  it('has unknown keys told', async () => {
    expect(told(await log([{ type: 'turn/start', seq: 0, time: 1, data: { turn: 1 }, extra: 1 }]))).toEqual(['unknown-key 2 refuse'])
  })

  it('has ranges of sourceEventSeqs expanded, and lies in them found without building them', async () => {
    const summary = (sourceEventSeqs: unknown): unknown => ({ type: 'user/message', seq: 6, time: 1, data: { id: 'm', role: 'user', content: [], source: { kind: 'compact' } }, surfaceOp: { op: 'replace', startSeq: 1, endSeq: 4 }, sourceEventSeqs })
    const rows = [0, 1, 2, 3, 4, 5].map((seq) => ({ type: 'todo/write', seq, time: 1, data: { todos: [] } }))
    const read = await log([...rows, summary([0, [2, 5]])], 3)
    expect(read.events.at(-1)).toMatchObject({ sourceEventSeqs: [{ first: 0, last: 0 }, { first: 2, last: 5 }], surfaceOp: { startSeq: 1, endSeq: 4 } })
    expect(told(await log([...rows, summary([[0, 4e15]])], 3))).toEqual(['source-seqs 8 refuse'])
    expect(told(await log([...rows, summary([6])], 3))).toEqual(['source-seqs 8 refuse'])
  })

  it('may hold names of another format, which are told once each', async () => {
    const dispatch = (seq: number): unknown => ({ type: 'tool/code-dispatch-start', seq, time: 1, data: { rootCallId: 'a', parentCallId: 'a', subCallId: 'a:code:1', name: 'read', arguments: {} } })
    expect(told(await log([dispatch(0), dispatch(1)], 4))).toEqual(['foreign-shape 2 refuse'])
    expect(told(await log([dispatch(0)], 2))).toEqual([])
  })

  it('leaves out a payload that does not fit, and says where', async () => {
    const read = await log([{ type: 'tool/call', seq: 0, time: 1, data: { turn: 1, step: 1, callId: 'c', name: 'read', arguments: {} } }, end(1)])
    expect(told(read)).toEqual(['malformed-event 2 accept'])
    expect(read.issues[0]?.text).toContain('arguments')
    expect(seqs(read)).toEqual([1])
  })

  it('bounds how deep arguments may be nested', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const row = `{"type":"tool/code-dispatch-start","seq":0,"time":1,"data":{"rootCallId":"a","parentCallId":"a","subCallId":"b","name":"x","arguments":${deep}}}`
    expect(told(await decoded(`${jsonl([headerRow(0)])}${row}\n`))).toEqual(['malformed-event 2 accept'])
  })

  it('tells only the first issues of a kind one by one', async () => {
    const read = await decoded(`${jsonl([headerRow(0)])}${'\n'.repeat(100)}`)
    expect(read.issues.length).toBeLessThan(30)
    expect(read.issues.reduce((sum, issue) => sum + (issue.count ?? 1), 0)).toBe(100)
  })
})
