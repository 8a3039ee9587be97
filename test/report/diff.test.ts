import { expect, test } from 'vitest'
import { diffReports } from '../../src/report/diff.ts'
import { finding, report, session } from '../support/report.ts'

const of = (...fingerprints: string[]) => report([session({ findings: fingerprints.map((fingerprint, i) => finding({ id: `f${i + 1}`, fingerprint })) })])
const names = (items: readonly { readonly finding: { readonly fingerprint: string } }[]) => items.map((i) => i.finding.fingerprint)

test('new, fixed and unchanged by fingerprint, whatever the rows', () => {
  const { added, fixed, unchanged } = diffReports(of('a', 'b', 'c'), of('c', 'd'))
  expect([names(added), names(fixed), names(unchanged)]).toEqual([['d'], ['a', 'b'], ['c']])
})

test('equal findings of several sessions are counted', () => {
  const { added, fixed, unchanged } = diffReports(of('a', 'a', 'a'), of('a'))
  expect([added.length, fixed.length, unchanged.length]).toEqual([0, 2, 1])
})
