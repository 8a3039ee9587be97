/** Each kind of fault, put into healthy runs of every kind, is found where it was put, and nothing else is. */
import { describe, expect, test } from 'vitest'
import { diagnose } from '../../src/index.ts'
import { rules } from '../../src/rules/index.ts'
import { readSession } from '../support/log.ts'
import { faults, type Fault } from './faults.ts'
import { healthyRuns, kinds, type Run } from './runs.ts'

/** Faults of a folder, not of a log. */
const ELSEWHERE: Readonly<Record<string, string>> = { 'mixed-generations': 'needs a second file beside the log: test/source' }

async function found(text: string): Promise<string[]> {
  const { sessions: [session], failures } = await diagnose(await readSession(Buffer.from(text)), { replay: false })
  expect(failures).toEqual([])
  return (session?.findings ?? []).map((f) => `${f.rule} at ${f.at.seq}`).toSorted()
}

test('every rule has a fault of its own here', () => {
  const planted = new Set([...faults.map((f) => f.rule), ...Object.keys(ELSEWHERE)])
  expect([...planted].toSorted()).toEqual(rules.map((r) => r.id).toSorted())
})

describe.each(kinds)('$name', (kind) => {
  test.each(Object.entries(healthyRuns))('a healthy %s has no finding', async (_, make) => {
    expect(await found(make(kind).log.toText())).toEqual([])
  })

  test.each(faults.filter((f) => f.mode === undefined || f.mode === kind.mode).map((fault): [string, Fault] => [`${fault.rule}${fault.how === undefined ? '' : `, ${fault.how}`}`, fault]))('%s', async (_, fault) => {
    const { rule, inGoal, ends = false, damage = (text) => text } = fault
    for (const [name, make] of Object.entries(healthyRuns)) {
      if (inGoal && name !== 'goal run') continue
      let expected: ReturnType<Fault['plant']> = []
      const plant = (run: Run): void => { expected = fault.plant(run) }
      const { log } = make(kind, { plant, ends })
      expect(expected.map(([planted]) => planted)).toContain(rule)
      expect(await found(damage(log.toText())), name).toEqual(expected.map(([planted, seq]) => `${planted} at ${seq}`).toSorted())
    }
  })
})
