/**
 * `SUBJECT OPERATOR VALUE` over one session, e.g. `goal.phase == complete`, `answers.dropped == 0`, `tools.used never bash`:
 * a closed vocabulary, not code.
 */
import { UsageError } from '../errors.ts'
import { answerStates, roundStates, severities } from '../facts/vocabulary.ts'
import { didYouMean } from '../nearest.ts'
import type { SessionReport } from './schema.ts'

type Value = number | string

/** What a session has to say about a subject. An empty list means that the session has no such thing. */
interface Subject {
  readonly kind: 'number' | 'word' | 'names'
  /** The only words that make sense; without it any. */
  readonly words?: readonly string[]
  values(session: SessionReport): readonly Value[]
}

export interface Assertion {
  readonly expression: string
  /** Null: the session has nothing the expression speaks of. Else what was found, and whether all of it holds. */
  measure(session: SessionReport): { readonly holds: boolean; readonly actual: string } | null
}

const GOAL_PHASES = ['active', 'paused', 'blocked', 'complete', 'cleared']
const VERDICTS = ['healthy', 'suspect', 'sick']
const GIVEN_UP = ['skipped', 'unanswered']

function number(values: (s: SessionReport) => number | null | readonly number[]): Subject {
  return { kind: 'number', values: (s) => [values(s) ?? []].flat() }
}

function word(values: (s: SessionReport) => string | null | readonly string[], words?: readonly string[]): Subject {
  return { kind: 'word', ...(words && { words }), values: (s) => [values(s) ?? []].flat() }
}

const subjects: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ['verdict', word((s) => s.verdict, VERDICTS)],
  ['generation', word((s) => s.generation)],
  ['agentPreset', word((s) => s.agentPreset)],
  ['model', word((s) => s.model)],
  ['goal.phase', word((s) => s.goals.map((g) => g.phase), GOAL_PHASES)],
  ['goal.ms', number((s) => s.goals.map((g) => g.cost.ms))],
  ['goal.inputTokens', number((s) => s.goals.map((g) => g.cost.inputTokens))],
  ['goal.outputTokens', number((s) => s.goals.map((g) => g.cost.outputTokens))],
  ['rounds', number((s) => ownRounds(s).length)],
  ...roundStates.map((state) => [`rounds.${state}`, number((s) => ownRounds(s).filter((r) => r.state === state).length)] as const),
  ['questions', number((s) => s.answers.length)],
  ['answers', number((s) => s.answers.filter((a) => !GIVEN_UP.includes(a.state)).length)],
  ...answerStates.map((state) => [`answers.${state}`, number((s) => s.answers.filter((a) => a.state === state).length)] as const),
  ['waitMs', number((s) => s.answers.flatMap((a) => a.waitMs ?? []))],
  ['turns', number((s) => s.counts.turns)],
  ['calls', number((s) => s.counts.calls)],
  ['dispatches', number((s) => s.counts.dispatches)],
  ['durationMs', number((s) => (s.span.startedAt === null || s.span.endedAt === null ? null : s.span.endedAt - s.span.startedAt))],
  ...severities.map((severity) => [`findings.${severity}`, number((s) => s.findings.filter((f) => f.severity === severity).length)] as const),
  ['tools.used', { kind: 'names', values: (s) => s.tools.map((t) => t.name) }],
])

const comparisons: ReadonlyMap<string, (a: Value, b: Value) => boolean> = new Map([
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
  ['<=', (a, b) => a <= b],
  ['>=', (a, b) => a >= b],
  ['<', (a, b) => a < b],
  ['>', (a, b) => a > b],
])

const OPERATORS: Readonly<Record<Subject['kind'], readonly string[]>> = {
  number: [...comparisons.keys()],
  word: ['==', '!='],
  names: ['contains', 'never'],
}

const SHAPE = /^\s*([A-Za-z][\w.]*)\s*(==|!=|<=|>=|<|>|\s[a-z]+(?=\s))\s*(?:"([^"]*)"|(\S+))\s*$/

/** The names an expression can begin with, for the help text. */
export const subjectNames: readonly string[] = [...subjects.keys()]

/** Throws UsageError that names the nearest known word. */
export function parseAssertion(expression: string): Assertion {
  const refuse = (why: string): never => {
    throw new UsageError(`assertion "${expression}": ${why}`)
  }
  const [, name = '', operatorText = '', quoted, bare = ''] = SHAPE.exec(expression) ?? refuse('expected SUBJECT OPERATOR VALUE, such as rounds <= 20')
  const subject = subjects.get(name) ?? refuse(`unknown subject ${name}${didYouMean(name, subjectNames)}`)
  const operator = operatorText.trim()
  const allowed = OPERATORS[subject.kind]
  if (!allowed.includes(operator)) refuse(`${name} takes ${allowed.join(', ')}, not ${operator}`)
  const raw = quoted ?? bare
  const value = subject.kind === 'number' ? Number(raw) : raw
  if (subject.kind === 'number' && (quoted !== undefined || !/^\d+(?:\.\d+)?$/.test(raw))) refuse(`${name} is a number, ${raw} is none`)
  if (subject.words?.includes(raw) === false) refuse(`${name} is never ${raw}${didYouMean(raw, subject.words)}; it is one of ${subject.words.join(', ')}`)
  const compare = comparisons.get(operator)
  return {
    expression: `${name} ${operator} ${quoted === undefined ? bare : `"${quoted}"`}`,
    measure(session) {
      const values = subject.values(session)
      if (compare === undefined) return { holds: values.includes(value) === (operator === 'contains'), actual: values.join(', ') || 'none' }
      if (values.length === 0) return null
      const breaking = values.filter((v) => !compare(v, value))
      return { holds: breaking.length === 0, actual: (breaking.length > 0 ? breaking : values).join(', ') }
    },
  }
}

function ownRounds(session: SessionReport): SessionReport['rounds'] {
  return session.rounds.filter((r) => !r.inherited)
}
