import type { SessionReport, Severity } from '../report/schema.ts'
import { count, oneLine } from './format.ts'

type State = SessionReport['answers'][number]['state']

const UNHEARD: readonly State[] = ['dropped', 'lost', 'truncated', 'evicted']
const HEARD: readonly State[] = ['delivered', 'derived']
const NO_ANSWER: readonly State[] = ['skipped', 'unanswered']

/** Whether the human's answer came through: what a reader need not look at again. */
export function wasHeard(state: State): boolean {
  return HEARD.includes(state)
}

/** Answers that arrived, and how many of them the model never saw. */
export function answerCounts(session: SessionReport): { readonly given: number; readonly unheard: number } {
  return {
    given: session.answers.filter((a) => !NO_ANSWER.includes(a.state)).length,
    unheard: session.answers.filter((a) => UNHEARD.includes(a.state)).length,
  }
}

/** Rounds of this log by state; inherited ones belong to the parent. */
export function roundCounts(session: SessionReport): Record<'progress' | 'waiting' | 'idle' | 'all', number> {
  const counts = { progress: 0, waiting: 0, idle: 0, all: 0 }
  for (const round of session.rounds) {
    if (round.inherited) continue
    counts[round.state] += 1
    counts.all += 1
  }
  return counts
}

export function severityCounts(session: SessionReport): Record<Severity, number> {
  const counts = { error: 0, warning: 0, info: 0 }
  for (const finding of session.findings) counts[finding.severity] += 1
  return counts
}

/** Why the session got its verdict, in one line. */
export function verdictReason(session: SessionReport): string {
  return session.verdict === 'healthy' ? healthyReason(session) : oneLine(faults(session).join('; '))
}

function faults(session: SessionReport): string[] {
  const { unheard } = answerCounts(session)
  const partial = session.answers.filter((a) => a.state === 'partial').length
  const rounds = roundCounts(session)
  const parts: string[] = []
  if (unheard > 0) parts.push(`${count(unheard, 'answer')} never reached the model`)
  if (partial > 0) parts.push(`${count(partial, 'answer')} reached it only in part`)
  if (session.findings.some((f) => f.rule === 'idle-rounds')) parts.push(`${rounds.idle} of ${count(rounds.all, 'goal round')} spun idle`)
  if (parts.length > 0) return parts
  const worst = session.findings.find((f) => f.severity === 'error') ?? session.findings.find((f) => f.severity === 'warning')
  return [worst?.text ?? 'no finding left']
}

function healthyReason(session: SessionReport): string {
  const { given } = answerCounts(session)
  const heard = session.answers.filter((a) => wasHeard(a.state)).length
  const rounds = roundCounts(session)
  const parts: string[] = []
  if (given > 0) parts.push(heard === given ? `${count(given, 'answer')} delivered` : `${heard} of ${count(given, 'answer')} delivered`)
  const unanswered = session.answers.filter((a) => a.state === 'unanswered').length
  if (unanswered > 0) parts.push(`${count(unanswered, 'question')} without an answer`)
  if (rounds.all > 0) parts.push(rounds.progress === rounds.all ? `${count(rounds.all, 'round')} progressed` : `${rounds.progress} of ${count(rounds.all, 'round')} progressed`)
  if (parts.length === 0) parts.push('no answer and no goal round to lose')
  return `${parts.join(', ')}; checked ${count(session.checked.length, 'rule')}`
}
