import { expect, test } from 'vitest'
import { agent } from '../../src/reporters/agent.ts'
import { hostileReport } from '../support/hostile.ts'
import { report, stuckSession } from '../support/report.ts'

test('one line per finding, with place, incident and fix', () => {
  const [head, session, first] = agent(report([stuckSession()])).split('\n')
  expect(head).toBe('sick: 1 sessions, 3 errors, 1 warnings, 1 notes')
  expect(session).toBe('session "runs/stuck/session.jsonl" sick')
  expect(first).toBe('error dropped-answer proven seq=169 line=170 turn=1 incident=1 "The answer \\"Postgres\\" to \\"storage\\" reached the program and nobody else." see=168 fix="Return the value of ask_user_question from the program."')
})

test('hostile text stays inside its quotes', () => {
  const lines = agent(hostileReport()).split('\n').slice(0, -1)
  expect(lines).toHaveLength(8)
  for (const line of lines) expect(line.replace(/"(?:[^"\\]|\\.)*"/g, 'Q')).toMatch(/^[\w .,:=-]+$/)
})
