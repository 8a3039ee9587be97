import { describe, expect, it } from 'vitest'
import { readHeader } from '../../src/decode/header.ts'
import { headerRow } from '../support/decoded.ts'

const read = (row: unknown): ReturnType<typeof readHeader> => readHeader(JSON.stringify(row), 'a.jsonl')
const codeOf = (line: string): unknown => {
  try {
    readHeader(line, 'a.jsonl')
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
  return null
}

describe('header', () => {
  it('of a fork in format 0 has a seed length, later ones only say that there is a seed', () => {
    expect(read({ ...headerRow(0), seedLength: 7 }).header).toMatchObject({ seedLength: 7, isSeeded: true })
    expect(read({ ...headerRow(3), isSeeded: true }).header).toMatchObject({ seedLength: null, isSeeded: true })
  })

  it('names the preset of code mode in one way', () => {
    expect(read({ ...headerRow(0), agentPreset: 'code' }).header.agentPreset).toBe('ptc')
    expect(read({ ...headerRow(4), agentPreset: 'ptc' }).header.agentPreset).toBe('ptc')
  })

  it('is read without what old logs lack, and says that the harness would not', () => {
    const { header, problems } = read({ type: 'session', id: 's', createdAt: 5 })
    expect(header).toMatchObject({ version: 0, delegationDepth: 0, cwd: null })
    expect(problems).toEqual(['The header has no version.', 'The header has no delegationDepth.'])
    expect(read({ ...headerRow(0), approvalPolicy: 'never' }).problems).toHaveLength(1)
    expect(read(headerRow(4)).problems).toEqual([])
  })

  it('of no log, of another tool, of a later format are told apart', () => {
    expect(codeOf('hello')).toBe('not-a-log')
    expect(codeOf('{"type":"turn/start","seq":0}')).toBe('not-a-log')
    expect(codeOf('{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}')).toBe('foreign-log')
    expect(codeOf(JSON.stringify({ ...headerRow(4), version: 5 }))).toBe('unsupported-version')
    expect(codeOf(JSON.stringify({ ...headerRow(4), version: '4' }))).toBe('unsupported-version')
    expect(codeOf(JSON.stringify({ ...headerRow(0), createdAt: 'yesterday' }))).toBe('malformed-header')
  })
})
