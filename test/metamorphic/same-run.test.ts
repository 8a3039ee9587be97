/** What is said of a run depends on the run alone, not on how its log was written. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diagnose, type Report } from '../../src/index.ts'
import type { Session } from '../../src/model/session.ts'
import { guarded, healthy, native, stuck } from '../support/fixtures.ts'
import { readSession, type Log, type LogOptions } from '../support/log.ts'
import { runScript, writeRun } from '../support/script.ts'
import { zstdLog } from '../support/zstd.ts'

type SessionReport = Report['sessions'][number]

const scripts: Readonly<Record<string, (options: LogOptions) => Log>> = { stuck, healthy, guarded, native }

async function judge(session: Session): Promise<SessionReport> {
  const { sessions: [report], failures } = await diagnose(session, { replay: false })
  expect(failures).toEqual([])
  if (!report) throw new Error('no report')
  return report
}

const judgeText = async (text: string) => judge(await readSession(Buffer.from(text)))

/** Without sizes and line numbers, which packing changes. */
function withoutLines(report: SessionReport): unknown {
  return JSON.parse(JSON.stringify({ ...report, counts: { ...report.counts, bytes: 0 } }, (key, value: unknown) => (key === 'line' ? undefined : value)))
}

/** What is said, without where it stands. */
function gist({ verdict, answers, rounds, goals, findings, incidents }: SessionReport): unknown {
  return {
    verdict,
    answers: answers.map((a) => [a.questionId, a.state, a.certainty, a.values, a.reason, a.waitMs, a.goalRound]),
    rounds: rounds.map((r) => [r.round, r.state, r.kind, r.certainty]),
    goals: goals.map((g) => [g.objective, g.phase, g.rounds, g.idleRounds]),
    findings: findings.map((f) => [f.rule, f.severity, f.certainty, f.text.replaceAll(/\d+ min[ \d\ws]*|\d+(?:\.\d+)? m?s\b/g, '…')]),
    incidents: incidents.map((i) => [i.causes.length, i.effects.length, i.cost.rounds]),
  }
}

describe.each(Object.keys(scripts))('the %s run', (name) => {
  const write = (options: LogOptions): Log => (scripts[name] ?? stuck)(options)

  test('reads the same with packed and with single chunk rows', async () => {
    expect(withoutLines(await judgeText(write({ format: 0, chunks: 'single' }).toText()))).toEqual(withoutLines(await judgeText(write({ format: 0, chunks: 'packed' }).toText())))
  })

  test('says the same in every format, with and without chunks', async () => {
    const expected = gist(await judgeText(write({ format: 4 }).toText()))
    for (const format of [0, 2, 3] as const) expect(gist(await judgeText(write({ format }).toText())), `format ${format}`).toEqual(expected)
    expect(gist(await judgeText(write({ format: 0, chunks: 'none' }).toText()))).toEqual(expected)
  })

  test('reads the same compressed, however the frames are cut', async () => {
    const text = write({ format: 4 }).toText()
    const expected = await judgeText(text)
    for (const rowsPerFrame of [1, 5, 1000]) expect(await judge(await readSession(await zstdLog(text, rowsPerFrame)))).toEqual(expected)
  })

  test('reads the same in pieces of any size', async () => {
    const bytes = write({ format: 3 }).toBytes()
    const expected = await judge(await readSession(bytes))
    for (const size of [1, 7, 4096]) expect(await judge(await readSession(bytes, size))).toEqual(expected)
  })

  test('reads the same whatever the order of keys', async () => {
    const text = write({ format: 4 }).toText()
    const turned = text.split('\n').map((line) => (line === '' ? line : JSON.stringify(reversed(JSON.parse(line))))).join('\n')
    expect(turned).not.toBe(text)
    expect(await judgeText(turned)).toEqual(await judgeText(text))
  })

  test('a torn row at the end adds only that it is torn', async () => {
    const text = write({ format: 4 }).toText()
    const [whole, torn] = [await judgeText(text), await judgeText(`${text}{"type":"session/title","seq":9`)]
    expect(torn.findings.filter((f) => f.rule !== 'torn-log').map((f) => f.fingerprint)).toEqual(whole.findings.map((f) => f.fingerprint))
    expect(gist({ ...torn, findings: [] })).toEqual(gist({ ...whole, findings: [] }))
  })

  test('says the same a year later', async () => {
    expect(gist(await judgeText(write({ startTime: 1_811_536_000_000 }).toText()))).toEqual(gist(await judgeText(write({}).toText())))
  })
})

test('any run reads the same packed, unpacked and compressed', async () => {
  await fc.assert(fc.asyncProperty(runScript, async (script) => {
    const packed = writeRun(script, { format: 0, chunks: 'packed' }).toText()
    const expected = await judgeText(packed)
    expect(withoutLines(await judgeText(writeRun(script, { format: 0, chunks: 'single' }).toText()))).toEqual(withoutLines(expected))
    expect(await judge(await readSession(await zstdLog(packed, 3)))).toEqual(expected)
  }), { numRuns: 12 })
})

test('any run says the same in every format', async () => {
  await fc.assert(fc.asyncProperty(runScript, async (script) => {
    const [first, ...others] = await Promise.all(([0, 2, 3, 4] as const).map(async (format) => gist(await judgeText(writeRun(script, { format }).toText()))))
    for (const other of others) expect(other).toEqual(first)
  }), { numRuns: 12 })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).toReversed().map(([key, inner]) => [key, reversed(inner)]))
}
