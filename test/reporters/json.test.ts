import { expect, test } from 'vitest'
import { z } from 'zod'
import { reportSchema } from '../../src/report/schema.ts'
import { json, ndjson } from '../../src/reporters/json.ts'
import { hostileSession, report, session, stuckSession } from '../support/report.ts'

test('json is the report', () => {
  const whole = report([stuckSession(), hostileSession()])
  expect(JSON.parse(json(whole))).toEqual(whole)
  expect(reportSchema.parse(JSON.parse(json(whole)))).toEqual(whole)
})

test('ndjson is one finding per line, with its session', () => {
  const printed = ndjson(report([session(), stuckSession()]))
  const findings = printed.trimEnd().split('\n').map((line): unknown => JSON.parse(line))
  const { id, source, findings: expected } = stuckSession()
  expect(findings).toEqual(expected.map((f) => ({ session: id, source, ...f })))
})

test('no findings are no lines', () => {
  expect(ndjson(report([session()]))).toBe('')
})

test('no raw control of a log is in the text', () => {
  expect(json(report([hostileSession()])) + ndjson(report([hostileSession()]))).not.toMatch(/(?!\n)\p{Cc}|\u202e/u)
})

test('the schema can be written as JSON Schema', () => {
  expect(z.toJSONSchema(reportSchema)).toMatchObject({ type: 'object', properties: { schemaVersion: { const: 1 } } })
})
