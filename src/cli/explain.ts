import { Chalk } from 'chalk'
import type { Command } from 'commander'
import { UsageError } from '../errors.ts'
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
    .description('explain a rule or a state')
    .argument('<RULE|STATE>')
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
  throw new UsageError(`no rule or state is called ${name}${didYouMean(name, [...rules.map(({ id }) => id), ...states.map((s) => s.state)])}; see inquest rules`)
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
