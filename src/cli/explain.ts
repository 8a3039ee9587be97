import { Chalk } from 'chalk'
import type { Command } from 'commander'
import { UsageError } from '../errors.ts'
import { gates } from '../facts/service-codes.ts'
import { answerStateDocs, idleKindDocs, roundStateDocs } from '../report/states.ts'
import { type Page, paragraph } from '../reporters/text/page.ts'
import type { Rule } from '../rules/define.ts'
import { rules } from '../rules/index.ts'
import type { Io } from './io.ts'
import { didYouMean } from '../nearest.ts'
import { terminalOptions } from './terminal.ts'

const STATES = [['state of an answer', answerStateDocs], ['state of a goal round', roundStateDocs], ['kind of an idle round', idleKindDocs]] as const

export function addExplain(program: Command, io: Io): void {
  program
    .command('explain')
    .description('explain a rule, a state, or a code of the question service')
    .argument('<RULE|CODE|STATE>')
    .action((name: string) => {
      const { color, width } = terminalOptions(io, 'auto', 'normal')
      const page: Page = { ink: new Chalk({ level: color ? 1 : 0 }), width: Math.min(width, 100), verbose: true }
      io.stdout.write(`${explain(name, page).join('\n')}\n`)
    })
}

function explain(name: string, page: Page): string[] {
  const rule = rules.find(({ id }) => id === name)
  if (rule !== undefined) return explainRule(rule, page)
  const states = STATES.flatMap(([what, docs]) => Object.entries(docs).map(([state, text]) => ({ what, state, text })))
  const state = states.find((s) => s.state === name)
  if (state !== undefined) return [`${page.ink.bold(name)}  ${state.what}`, ...paragraph(state.text, 2, page)]
  const place = gates.findIndex(({ code }) => code.toLowerCase() === name.toLowerCase())
  if (place >= 0) return explainGate(place, page)
  const known = [...rules.map(({ id }) => id), ...states.map((s) => s.state), ...gates.map((g) => g.code)]
  throw new UsageError(`no rule, state or code is called ${name}${didYouMean(name, known)}; see inquest rules`)
}

/** A code proves that the gates before it were passed, and nothing about the ones behind it. */
function explainGate(place: number, page: Page): string[] {
  const gate = gates[place]
  if (!gate) return []
  const passed = gates.slice(0, place).filter((g) => g.layer !== gate.layer)
  const behind = gates.slice(place + 1).map((g) => g.code)
  const layers = [...new Set(passed.map((g) => g.layer))]
  const parts = [
    ['What it means', `${gate.means[0]?.toUpperCase()}${gate.means.slice(1)}. The question counts as unanswered (${gate.reason}).`],
    ['What it proves', layers.length === 0 ? 'Nothing about other gates: it is among the first.' : `The call came through ${layers.join(', ')}.`],
    ['What it does not prove', behind.length === 0 ? 'It is the last gate.' : `Whether the later gates would have let it pass: ${behind.join(', ')}.`],
    ['How it is told', 'By the code of the error object where the log has one, else by the fixed text behind "Error: ". A refusal without either is told by the time it took: policies decide in milliseconds.'],
  ] as const
  return [`${page.ink.bold(gate.code)}  ${gate.layer}`, ...parts.flatMap(([title, text]) => ['', page.ink.bold(title), ...paragraph(text, 2, page)])]
}

function explainRule({ id, family, severity, docs }: Rule, page: Page): string[] {
  const parts = [
    ['What it reports', docs.what],
    ['Why it matters', docs.why],
    ['What to do', docs.fix],
    ['What it does not see', docs.misses],
    ['What would prove it wrong', docs.disproof],
  ] as const
  return [`${page.ink.bold(id)}  ${severity}, ${family}`, ...parts.flatMap(([title, text]) => ['', page.ink.bold(title), ...paragraph(text, 2, page)])]
}
