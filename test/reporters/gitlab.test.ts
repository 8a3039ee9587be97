import { expect, test } from 'vitest'
import { gitlab } from '../../src/reporters/gitlab.ts'
import { hostileReport } from '../support/hostile.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

interface Issue { description: string; check_name: string; fingerprint: string; severity: string; location: { path: string; lines: { begin: number } } }

function issues(input: Parameters<typeof gitlab>[0]): Issue[] {
  return JSON.parse(gitlab(input))
}

/** The fields that GitLab documents, and nothing else. */
function expectDocumented(list: readonly Issue[]): void {
  for (const issue of list) {
    expect(Object.keys(issue).toSorted()).toEqual(['check_name', 'description', 'fingerprint', 'location', 'severity'])
    expect(['info', 'minor', 'major', 'critical', 'blocker']).toContain(issue.severity)
    expect(issue.location.path).not.toMatch(/^\.\//)
    expect(issue.location.lines.begin).toBeGreaterThanOrEqual(1)
    expect(issue.description).not.toMatch(/[\n\r]/)
  }
  expect(new Set(list.map((i) => i.fingerprint)).size).toBe(list.length)
}

test('documented fields, with line and severity', () => {
  const list = issues(report([session(), stuckSession()]))
  expectDocumented(list)
  expect(list[0]).toMatchObject({ check_name: 'dropped-answer', severity: 'critical', location: { path: 'runs/stuck/session.jsonl', lines: { begin: 170 } } })
})

test('the same finding in two logs is two issues', () => {
  const one = session({ source: './a/session.jsonl', id: 's1', findings: [finding()] })
  const list = issues(report([one, { ...one, source: './b/session.jsonl', id: 's2' }]))
  expectDocumented(list)
  expect(list.map((i) => i.location.path)).toEqual(['a/session.jsonl', 'b/session.jsonl'])
})

test('hostile text and broken demands keep to the format', () => {
  const list = issues(hostileReport())
  expectDocumented(list)
  expect(list.filter((i) => i.severity === 'blocker').map((i) => i.check_name)).toEqual(['not-a-log', 'limit', 'assertion', 'stale-baseline'])
})
