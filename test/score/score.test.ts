import { describe, expect, it, test } from 'vitest'
import { diagnose } from '../../src/index.ts'
import { readCases, type Labels } from './cases.ts'
import { print } from './print.ts'
import { score } from './score.ts'
import { ratio, tallies } from './tally.ts'
import { verdictsOf, type Judged } from './verdicts.ts'

const NOTHING: Labels = { answers: [], rounds: [], findings: [], absent: [], absentIn: {}, note: '' }
const nobody: Judged = { id: 's', answers: [], rounds: [], findings: [] }

const label = (state: 'delivered' | 'dropped' | 'late', deliveredSeq: number | null = null, also: ('dropped' | 'late')[] = []) => (
  { callId: 'c', subCallId: null, questionId: 'q', state, deliveredSeq, also })
const answer = (state: 'delivered' | 'dropped' | 'late', deliveredSeq: number | null = null) => (
  { callId: 'c', subCallId: null, questionId: 'q', state, deliveredSeq, reason: null })
const judgeAnswers = (labels: Labels['answers'], answers: Judged['answers']) => verdictsOf({ ...NOTHING, answers: labels }, [{ ...nobody, answers }])

describe('answers', () => {
  it('are right in the labelled state or in one that is right as well', () => {
    expect(judgeAnswers([label('dropped')], [answer('dropped')])).toMatchObject([{ right: true }])
    expect(judgeAnswers([label('delivered', 4, ['late'])], [answer('late', 9)])).toMatchObject([{ right: true, placed: null }])
    expect(judgeAnswers([label('delivered', 4)], [answer('dropped')])).toMatchObject([{ right: false, expected: 'delivered', reported: 'dropped' }])
  })

  it('stand at the right row or not', () => {
    expect(judgeAnswers([label('delivered', 4)], [answer('delivered', 4)])).toMatchObject([{ placed: true }])
    expect(judgeAnswers([label('delivered', 4)], [answer('delivered', 5)])).toMatchObject([{ right: true, placed: false }])
  })

  it('pair one by one: what is missing or too much is wrong', () => {
    expect(judgeAnswers([label('dropped'), label('dropped')], [answer('dropped')])).toMatchObject([{ right: true }, { right: false, reported: null }])
    expect(judgeAnswers([label('dropped')], [answer('dropped'), answer('late')])).toMatchObject([{ right: true }, { right: false, expected: null, reported: 'late' }])
  })

  it('count where the case labels answers', () => {
    expect(judgeAnswers([], [answer('dropped')])).toEqual([])
  })
})

describe('rounds', () => {
  const round = (n: number, state: 'progress' | 'idle', kind: 'silent' | 'replay' | null = null, inherited = false) => ({ goalId: 'g', round: n, state, kind, inherited })

  it('are compared with their kind, inherited ones aside', () => {
    const labels = { ...NOTHING, rounds: [{ goalId: 'g', round: 2, state: 'idle' as const, also: [], kind: 'silent' as const }] }
    expect(verdictsOf(labels, [{ ...nobody, rounds: [round(1, 'progress', null, true), round(2, 'idle', 'replay')] }])).toMatchObject([{ right: true, detail: false }])
    expect(verdictsOf(labels, [{ ...nobody, rounds: [round(2, 'progress')] }])).toMatchObject([{ right: false, detail: null }])
  })

  it('of several sessions are told apart', () => {
    const labels = { ...NOTHING, sessions: [{ id: 'a' }, { id: 'b' }], rounds: [{ session: 'b', goalId: 'g', round: 1, state: 'idle' as const, also: [] }] }
    expect(verdictsOf(labels, [{ ...nobody, id: 'a', rounds: [round(1, 'progress')] }, { ...nobody, id: 'b', rounds: [round(1, 'idle')] }])).toMatchObject([{ right: true }])
  })
})

describe('findings', () => {
  const found = (...seqs: number[]): Judged => ({ ...nobody, findings: seqs.map((seq) => ({ rule: 'idle-rounds', at: { seq } })) })
  const labels = { ...NOTHING, findings: [{ rule: 'idle-rounds', fromSeq: 10, toSeq: 20 }] }

  it('are right inside the labelled rows, and counted once', () => {
    expect(verdictsOf(labels, [found(10, 20)])).toMatchObject([{ reported: 'idle-rounds', right: true, placed: true }, { expected: 'idle-rounds', right: true }])
  })

  it('are false outside of them, and the label is missed', () => {
    expect(verdictsOf(labels, [found(21)])).toMatchObject([{ right: false, placed: false, forbidden: false }, { expected: 'idle-rounds', right: false }])
  })

  it('are forbidden where the rule must find nothing, and open where nothing is said', () => {
    expect(verdictsOf({ ...NOTHING, absent: ['idle-rounds'] }, [found(1)])).toMatchObject([{ right: false, forbidden: true, placed: null }])
    expect(verdictsOf(NOTHING, [found(1)])).toEqual([])
  })
})

test('precision is of what is reported, recall of what is expected', () => {
  const verdicts = judgeAnswers([label('delivered', 4), label('dropped')], [answer('delivered', 4), answer('delivered', 5)])
  expect(tallies(verdicts)).toMatchObject([
    { name: 'delivered', precision: { right: 1, of: 2 }, recall: { right: 1, of: 1 }, place: { right: 1, of: 1 } },
    { name: 'dropped', precision: { of: 0, share: null }, recall: { right: 0, of: 1 } },
  ])
})

test('an interval is that of Wilson', () => {
  expect(ratio(8, 10)).toMatchObject({ share: 0.8, low: expect.closeTo(0.4902, 4), high: expect.closeTo(0.9433, 4) })
  expect(ratio(0, 20)).toMatchObject({ low: 0, high: expect.closeTo(0.1611, 4) })
  expect(ratio(0, 0).share).toBeNull()
})

test('the labelled sample is judged as its labels say', async () => {
  const result = await score(await readCases(['fixtures/labelled']), (folder) => diagnose(folder))
  expect(result).toMatchObject({ cases: { right: 14, of: 14 }, misjudged: [], forbidden: [] })
  expect(result.groups.map(({ name, overall, details }) => [name, overall.precision.of, overall.precision.share, overall.recall.of, overall.recall.share, overall.place.share, details.right]))
    .toEqual([['answers', 10, 1, 10, 1, 1, 1], ['rounds', 34, 1, 34, 1, null, 19], ['rules', 8, 1, 8, 1, 1, 0]])
  expect(print(result, true)).toMatch(/^14 cases, 14 of them without any difference\n\nanswers of 10 cases; mean over cases 100\.0 %; reasons right 1 of 1\n/)
  expect(print(result, true)).toMatch(/\n\nFindings that must not be: none\n\nMisjudged: none$/)
})

test('what is misjudged is listed with its case', async () => {
  const [sample] = await readCases(['fixtures/labelled/answers/forgotten-choice'])
  if (!sample) throw new Error('no sample')
  const wrong = { ...sample, labels: { ...sample.labels, absent: ['dropped-answer'], answers: sample.labels.answers.map((a) => ({ ...a, state: 'late' as const })) } }
  const result = await score([wrong], (folder) => diagnose(folder))
  expect(print(result, true)).toContain('- forgotten-choice: the program returns a fixed text\n  - colour: late expected, dropped reported\n  - dropped-answer at seq')
  expect(result.forbidden).toHaveLength(1)
})
