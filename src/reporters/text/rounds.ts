import { groupBy } from '../../group.ts'
import type { GoalReport, RoundReport, SessionReport } from '../../report/schema.ts'
import { count, cut, duration, oneLine, tokens } from '../format.ts'
import { type Page, paragraph, row, section } from './page.ts'

type State = RoundReport['state']

/** One mark per round; idle ones are hollow, so that they show without colour too. */
const MARKS: Record<State, string> = { progress: '▮', waiting: '·', idle: '▯' }
const GROUP = 10

/** Each goal with a bar of its rounds. Inherited rounds belong to the parent's report. */
export function roundsSection(session: SessionReport, page: Page): string[] {
  const roundsOf = groupBy(session.rounds.filter((round) => !round.inherited), (round) => round.goalId)
  const guardsOf = groupBy(session.guardsWorked, (guard) => guard.goalId)
  return session.goals.flatMap((goal) => {
    const rounds = roundsOf.get(goal.id) ?? []
    const lines = [...summary(goal, rounds, page), ...bar(rounds, page), ...legend(rounds, page), ...guardRows(guardsOf.get(goal.id) ?? [], page), ...(page.verbose ? rounds.flatMap((round) => detail(round, page)) : [])]
    return section('GOAL ROUNDS', lines, page)
  })
}

function summary(goal: GoalReport, rounds: readonly RoundReport[], page: Page): string[] {
  const { ms, inputTokens, outputTokens } = goal.cost
  const progress = rounds.filter((round) => round.state === 'progress').length
  const cost = goal.rounds === 0 ? [] : [
    duration(ms), `${tokens(inputTokens)} tokens in, ${tokens(outputTokens)} out`,
    ...(goal.idleRounds > 0 && progress > 0 ? [`${tokens((inputTokens + outputTokens) / progress)} for each round that got somewhere`] : []),
  ]
  return [
    `  "${cut(oneLine(goal.objective), page.width - 4)}"`,
    ...paragraph([cut(oneLine(goal.phase), 20), `${goal.rounds} of ${count(goal.cap, 'round')}`, ...cost].join(', '), 2, page),
  ]
}

function bar(rounds: readonly RoundReport[], page: Page): string[] {
  const perLine = Math.max(1, Math.floor((page.width - 8) / (GROUP + 1))) * GROUP
  const ink: Record<State, (mark: string) => string> = { progress: page.ink.green, waiting: page.ink.yellow, idle: page.ink.red }
  const lines: string[] = []
  for (let from = 0; from < rounds.length; from += perLine) {
    const line = rounds.slice(from, from + perLine)
    const marks = line.map((round, i) => (i > 0 && i % GROUP === 0 ? ' ' : '') + ink[round.state](MARKS[round.state]))
    lines.push(`${page.ink.dim(String(line[0]?.round).padStart(6))}  ${marks.join('')}`)
  }
  return lines
}

function legend(rounds: readonly RoundReport[], page: Page): string[] {
  if (rounds.length === 0) return []
  const states = (['progress', 'waiting', 'idle'] as const).flatMap((state) => {
    const n = rounds.filter((round) => round.state === state).length
    return n === 0 ? [] : [`${MARKS[state]} ${n} ${state}${state === 'idle' ? kinds(rounds) : ''}`]
  })
  return paragraph(states.join('   '), 8, page).map((line) => page.ink.dim(line))
}

/** A guard that did its work is worth saying: the run it saved looks uneventful. */
function guardRows(worked: SessionReport['guardsWorked'], page: Page): string[] {
  return worked.flatMap(({ seq, round, endSeq, end }) =>
    row('guard', `denied a question${round === null ? '' : ` in round ${round}`} (seq ${seq}), and the goal was reported ${end} (seq ${endSeq}): it did its work`, 2, page))
}

/** `: 12 replay, 3 talk-only`, the most frequent first. */
function kinds(rounds: readonly RoundReport[]): string {
  const counts = new Map<string, number>()
  for (const { kind } of rounds) if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const parts = [...counts].toSorted(([, a], [, b]) => b - a).map(([kind, n]) => `${n} ${kind}`)
  return parts.length === 0 ? '' : `: ${parts.join(', ')}`
}

function detail(round: RoundReport, page: Page): string[] {
  const facts = `${round.state}${round.kind === null ? '' : ` (${round.kind})`}, seq ${round.fromSeq}–${round.toSeq}, ${duration(round.ms)}`
  return row(`round ${round.round}`, [facts, ...round.why].join('; '), 4, page)
}
