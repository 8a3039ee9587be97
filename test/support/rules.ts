/** Runs single rules and facts over logs written with `log()`. */
import { createFacts, type FactName, type Facts } from '../../src/facts/index.ts'
import { createProgramAnalyser, type How, type ItemFlow, type ItemVerdict, type ProgramAnalyser, type ProgramInput, type Reach } from '../../src/programs/index.ts'
import type { Reported, Rule, RuleArgs } from '../../src/rules/define.ts'
import type { Log } from './log.ts'

export type Found = Reported<RuleArgs> & { readonly text: string }

export async function fact<N extends FactName>(l: Log, name: N, programs: ProgramAnalyser = createProgramAnalyser({ replay: false })): Promise<Facts[N]> {
  return createFacts(await l.session(), programs)(name)
}

/** What the rule finds, in its own order. */
export async function findings(rule: Rule, l: Log, programs: ProgramAnalyser = createProgramAnalyser({ replay: false })): Promise<Found[]> {
  const session = await l.session()
  const found: Found[] = []
  await rule.run(session, createFacts(session, programs), { finding: (f) => found.push(f), notEvaluated: () => undefined })
  return found
}

/** Why the rule leaves something open. */
export async function notEvaluated(rule: Rule, l: Log): Promise<string[]> {
  const session = await l.session()
  const because: string[] = []
  await rule.run(session, createFacts(session, createProgramAnalyser({ replay: false })), { finding: () => undefined, notEvaluated: (text) => because.push(text) })
  return because
}

/** Stands for the program analyser: says the same of every question item, or nothing. */
export function analyserSaying(say: Partial<Pick<ItemVerdict, 'flow' | 'replay' | 'fix'>>): ProgramAnalyser {
  return {
    analyse: async ({ calls }: ProgramInput) => ({
      parse: { ok: true }, replay: { valid: false, because: 'a stand-in' }, constantReturn: null,
      items: calls.flatMap(({ tool, subCallId }) => (tool === 'ask_user_question' ? [0, 1, 2].map((index) => ({ subCallId, index, flow: null, replay: null, fix: null, ...say })) : [])),
    }),
    rest: async () => undefined,
    close: async () => undefined,
  }
}

/** A program that could not be analysed. */
export const UNKNOWN = analyserSaying({})

/** Data flow of an item whose labels and text go the same way. */
export function flow(reach: Partial<Reach> = {}): ItemFlow {
  const all: Reach = { returns: 'none', logs: 'none', throws: 'none', calls: [], ...reach }
  return { site: { line: 1, text: 'tools.ask_user_question(…)' }, floating: false, selected: all, custom: all }
}

export function callsWith(how: Exclude<How, 'none'>, tool = 'write'): Reach['calls'] {
  return [{ tool, line: 2, how }]
}
