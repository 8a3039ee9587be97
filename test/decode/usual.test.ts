import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { READERS } from '../../src/decode/payloads.ts'
import { usualEvent } from '../../src/decode/usual.ts'
import { isRecord, tryJson } from '../../src/model/canonical.ts'

const head = { seq: 7, time: 8, line: 9, bytes: 10 }
const place = { surfaceOp: 'append', sourceEventSeqs: [{ first: 1, last: 2 }] } as const

/** Payloads of all fixtures, by type. */
const payloads = new Map<string, unknown[]>()
for (const name of readdirSync('fixtures', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'))) {
  for (const line of readFileSync(join('fixtures', name), 'utf8').split('\n')) {
    const row = tryJson(line)
    if (isRecord(row) && typeof row['type'] === 'string') payloads.set(row['type'], [...(payloads.get(row['type']) ?? []), row['data']])
  }
}

/** Null: the schema refuses it. */
function bySchema(type: string, data: unknown): unknown {
  const event = READERS.get(type)?.(data, head, place)
  return event instanceof z.ZodError ? null : event
}

const TYPES = [
  'turn/start', 'turn/end', 'step/start', 'step/end', 'user/message', 'assistant/message', 'tool/call', 'tool/result', 'tool/code-dispatch-start',
  'tool/ptc-dispatch-start', 'tool/code-dispatch', 'tool/ptc-dispatch', 'agent/inbox/spliced',
]

describe('usual payloads', () => {
  it.each(TYPES)('%s is mostly read without its schema, and alike', (type) => {
    const all = payloads.get(type) ?? []
    const usual = all.filter((data) => {
      const event = usualEvent(type, data, head, place)
      if (event) expect(event).toEqual(bySchema(type, data))
      return event !== null
    })
    expect(usual.length).toBeGreaterThan(all.length / 2)
  })

  it('says nothing of what the schema refuses, however a payload is changed', () => {
    const odd = fc.oneof(fc.constantFrom<unknown>(null, '', 'x', 0, -1, 1.5, 1e300, true, [], {}, [[]], [{ type: 'text' }], [{ type: 'image' }], { kind: 'plugin', plugin: 'compact' }, { kind: '' }, { kind: 'aborted' }, { kind: 'error' }), fc.jsonValue())
    const cases = fc.constantFrom(...TYPES).chain((type) => fc.record({ type: fc.constant(type), data: fc.constantFrom(...(payloads.get(type) ?? [])), steps: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), odd, drop: fc.boolean(), add: fc.boolean() }))
    fc.assert(fc.property(cases, ({ type, data, steps, odd: value, drop, add }) => {
      const changed = tryJson(JSON.stringify(changedAt(structuredClone(data), steps, value, drop, add)) ?? 'null')
      const event = usualEvent(type, changed, head, place)
      if (event) expect(event).toEqual(bySchema(type, changed))
    }), { numRuns: 5_000 })
  })

  it('leaves rows marked ignorable to the schema', () => {
    expect(usualEvent('turn/start', { turn: 1 }, { ...head, ignorable: true }, place)).toBeNull()
    expect(usualEvent('turn/start', { turn: 1 }, head, place)).toEqual({ type: 'turn/start', turn: 1, ...head })
  })
})

const ADDED = ['error', 'content', 'isError', 'callId', 'plugin', 'interrupted', 'outcome', 'toolCallId', 'round', 'revision']

/** One place in the payload, found by taking the nth key again and again, is replaced or left out, or gets a key more. */
function changedAt(data: unknown, [step = 0, ...steps]: readonly number[], value: unknown, drop: boolean, add: boolean): unknown {
  if (data === null || typeof data !== 'object' || Object.keys(data).length === 0) return value
  const keys = Object.keys(data)
  const key = keys[step % keys.length] ?? ''
  const inner: unknown = Reflect.get(data, key)
  if (steps.length > 0 && inner !== null && typeof inner === 'object') Reflect.set(data, key, changedAt(inner, steps, value, drop, add))
  else if (add) Reflect.set(data, ADDED[step % ADDED.length] ?? '', value)
  else if (drop) Reflect.deleteProperty(data, key)
  else Reflect.set(data, key, value)
  return data
}
