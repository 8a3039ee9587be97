/** Labels and report of one case → what was right. */
import type { SessionReport } from '../../src/index.ts'
import type { Labels } from './cases.ts'

/** One label, one thing reported, or both where they speak of the same. */
export interface Verdict {
  readonly group: 'answers' | 'rounds' | 'rules'
  /** State or rule; null: nothing was labelled here. */
  readonly expected: string | null
  /** State or rule; null: nothing was reported here. */
  readonly reported: string | null
  readonly right: boolean
  /** It stands at the right row; null: not asked. */
  readonly placed: boolean | null
  /** The reason of an answer, or the kind of an idle round, is right; null: not asked. */
  readonly detail: boolean | null
  /** The rule was said to find nothing here. */
  readonly forbidden: boolean
  readonly what: string
}

/** What is judged of a session's report. */
export interface Judged {
  readonly id: string
  readonly answers: readonly Pick<SessionReport['answers'][number], 'callId' | 'subCallId' | 'questionId' | 'state' | 'reason' | 'deliveredSeq'>[]
  readonly rounds: readonly Pick<SessionReport['rounds'][number], 'goalId' | 'round' | 'state' | 'kind' | 'inherited'>[]
  readonly findings: readonly { readonly rule: string; readonly at: { readonly seq: number } }[]
}

const NEUTRAL = { placed: null, detail: null, forbidden: false } as const

export function verdictsOf(labels: Labels, sessions: readonly Judged[]): Verdict[] {
  if (!labels.sessions) return ofSession(labels, sessions[0])
  return labels.sessions.flatMap(({ id }) => {
    const own = <T extends { readonly session?: string | undefined }>(all: readonly T[]): T[] => all.filter((label) => label.session === id)
    return ofSession({ ...labels, rounds: own(labels.rounds), findings: own(labels.findings), absent: labels.absentIn[id] ?? labels.absent }, sessions.find((s) => s.id === id))
  })
}

function ofSession(labels: Labels, session: Judged = { id: '', answers: [], rounds: [], findings: [] }): Verdict[] {
  return [
    ...(labels.answers.length > 0 ? answerVerdicts(labels.answers, session.answers) : []),
    ...(labels.rounds.length > 0 ? roundVerdicts(labels.rounds, session.rounds.filter((r) => !r.inherited)) : []),
    ...findingVerdicts(labels, session.findings),
  ]
}

function answerVerdicts(labels: Labels['answers'], answers: Judged['answers']): Verdict[] {
  const key = (a: { readonly callId: string; readonly subCallId: string | null; readonly questionId: string }): string => `${a.callId} ${a.subCallId} ${a.questionId}`
  return paired(labels, answers, key).map(([label, answer]) => {
    // Row and reason belong to the state of the label, not to the others that are right as well.
    const same = label !== undefined && answer?.state === label.state
    return {
      ...stateVerdict('answers', label, answer, label?.questionId ?? answer?.questionId ?? ''),
      placed: same && label.deliveredSeq !== null ? answer.deliveredSeq === label.deliveredSeq : null,
      detail: same && label.reason !== undefined ? answer.reason === label.reason : null,
    }
  })
}

function roundVerdicts(labels: Labels['rounds'], rounds: Judged['rounds']): Verdict[] {
  const key = (r: { readonly goalId: string; readonly round: number }): string => `${r.goalId} ${r.round}`
  return paired(labels, rounds, key).map(([label, round]) => ({
    ...stateVerdict('rounds', label, round, `round ${label?.round ?? round?.round}`),
    detail: agree(label, round) && label?.kind !== undefined && round?.kind ? round.kind === label.kind : null,
  }))
}

function stateVerdict(group: Verdict['group'], label: Stated & { readonly also: readonly string[] } | undefined, reported: Stated | undefined, what: string): Verdict {
  const also = label && label.also.length > 0 ? ` (or ${label.also.join(', ')})` : ''
  return {
    ...NEUTRAL, group, expected: label?.state ?? null, reported: reported?.state ?? null, right: agree(label, reported),
    what: `${what}: ${label ? `${label.state}${also}` : 'nothing'} expected, ${reported?.state ?? 'nothing'} reported`,
  }
}

interface Stated { readonly state: string }

function agree(label: Stated & { readonly also: readonly string[] } | undefined, reported: Stated | undefined): boolean {
  return label !== undefined && reported !== undefined && (reported.state === label.state || label.also.includes(reported.state))
}

/** Labels with what was reported of the same thing, then what nobody expected. What is reported twice pairs once. */
function paired<L, R>(labels: readonly L[], reported: readonly R[], key: (item: L | R) => string): [L | undefined, R | undefined][] {
  const left = new Map<string, R[]>()
  for (const item of reported) left.set(key(item), [...(left.get(key(item)) ?? []), item])
  const pairs = labels.map((label): [L, R | undefined] => [label, left.get(key(label))?.shift()])
  return [...pairs, ...[...left.values()].flat().map((item): [undefined, R] => [undefined, item])]
}

/**
 * A label is found when a finding of its rule stands inside. A finding outside of all labels of its rule is false where
 * the rule is labelled or said to find nothing, else open. Further findings inside one label count neither way.
 */
function findingVerdicts({ findings: labels, absent }: Labels, findings: Judged['findings']): Verdict[] {
  const hits = new Map<Labels['findings'][number], number>(labels.map((label) => [label, 0]))
  const verdicts: Verdict[] = []
  for (const { rule, at: { seq } } of findings) {
    const ofRule = labels.filter((label) => label.rule === rule)
    const inside = ofRule.filter((label) => seq >= label.fromSeq && seq <= label.toSeq)
    const isFirst = inside.some((label) => hits.get(label) === 0)
    for (const label of inside) hits.set(label, (hits.get(label) ?? 0) + 1)
    const forbidden = inside.length === 0 && absent.includes(rule)
    if (!isFirst && (inside.length > 0 || (ofRule.length === 0 && !forbidden))) continue
    verdicts.push({
      ...NEUTRAL, group: 'rules', expected: null, reported: rule, right: isFirst, forbidden,
      placed: ofRule.length > 0 ? isFirst : null, what: `${rule} at seq ${seq}: false`,
    })
  }
  for (const [{ rule, fromSeq, toSeq }, count] of hits) {
    verdicts.push({ ...NEUTRAL, group: 'rules', expected: rule, reported: null, right: count > 0, what: `${rule} between seq ${fromSeq} and ${toSeq}: missed` })
  }
  return verdicts
}
