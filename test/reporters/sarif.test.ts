import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Ajv from 'ajv'
import { describe, expect, test } from 'vitest'
import { sarif } from '../../src/reporters/sarif.ts'
import { hostileReport } from '../support/hostile.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

const require = createRequire(import.meta.url)
const ajv = new Ajv({ schemaId: 'auto', validateSchema: false })
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'))
const validate = ajv.compile(JSON.parse(readFileSync(require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8')))

const cases = { healthy: report([session()]), stuck: report([session(), stuckSession()]), hostile: hostileReport(), empty: report([], [{ source: 'x', code: 'not-found', text: 'no such file', rule: null }]) }

function results(text: string) {
  return JSON.parse(text).runs[0].results
}

describe('against the official schema', () => {
  test.each(Object.entries(cases))('%s', (_, input) => {
    validate(JSON.parse(sarif(input)))
    expect(validate.errors ?? []).toEqual([])
  })

  test('the schema is really applied', () => {
    expect(validate({ version: '2.1.0' })).toBe(false)
  })
})

test('sarif-multitool finds no error', { timeout: 120_000 }, () => {
  // Its package wants an install script for this; ours are off.
  if (process.platform === 'linux') chmodSync(join(dirname(require.resolve('@microsoft/sarif-multitool')), '../sarif-multitool-linux/Sarif.Multitool'), 0o755)
  const tool = join(dirname(require.resolve('@microsoft/sarif-multitool')), 'bin.js')
  const folder = mkdtempSync(join(tmpdir(), 'inquest-sarif-'))
  try {
    const files = Object.entries(cases).map(([name, input]) => {
      const file = join(folder, `${name}.sarif`)
      writeFileSync(file, sarif(input))
      return file
    })
    const verdict = join(folder, 'verdict.json')
    // A non-zero exit code only says that there are findings: they are looked at below.
    spawnSync(process.execPath, [tool, 'validate', ...files, '-o', verdict])
    const checked = JSON.parse(readFileSync(verdict, 'utf8')).runs[0]
    expect(checked.results.filter((r: { level?: string }) => r.level === 'error')).toEqual([])
    expect(checked.invocations?.[0]?.executionSuccessful ?? true).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an uncompressed log has a line, others only the rows', () => {
  const at = (source: string) => results(sarif(report([session({ source, findings: [finding()] })])))[0].locations[0]
  expect(at('./runs/a b/session.jsonl')).toMatchObject({
    physicalLocation: { artifactLocation: { uri: 'runs/a%20b/session.jsonl' }, region: { startLine: 170 } },
    logicalLocations: [{ name: 'seq 169, turn 1, step 2' }],
  })
  for (const source of ['runs/session.jsonl.zstd', 'export.zip']) expect(at(source).physicalLocation.region).toBeUndefined()
  expect(at('-').physicalLocation).toBeUndefined()
  expect(at('-').logicalLocations).toHaveLength(1)
})

test('an accepted finding is suppressed with its reason', () => {
  const [only] = results(sarif(report([session({ accepted: [{ ...finding(), reason: 'fixed upstream' }] })])))
  expect(only.suppressions).toEqual([{ kind: 'external', justification: 'fixed upstream' }])
})

test('what a text writes as link or placeholder stays text', () => {
  const [first] = results(sarif(report([session({ findings: [finding({ text: 'see [docs](1) and {0}, {x}', fix: null })] })])))
  expect(first.message.text).toBe('see [docs\\](1) and {{0}}, {x}')
})
