import { Command, CommanderError } from 'commander'
import { UsageError } from '../errors.ts'
import { cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { version } from '../version.ts'
import { addCheck } from './check.ts'
import { addExplain } from './explain.ts'
import { addInit } from './init.ts'
import { addInspect } from './inspect.ts'
import type { Diagnose, Io } from './io.ts'
import { addReports } from './reports.ts'
import { addRules } from './rules.ts'
import { addTrace } from './trace.ts'
import { addTriage } from './triage.ts'
import { addWatch } from './watch.ts'

const AFTER_HELP = `
Examples:
  inquest                                       the newest session of this machine
  inquest session.jsonl                         one log; inquest inspect session.jsonl is the same
  inquest inspect --fail-on error runs/         all logs below a folder, exit 1 if one is sick
  inquest inspect --output json=report.json .   text on the terminal, and the report as JSON
  inquest trace session.jsonl storage           one answer, layer by layer, with the raw rows
  inquest check runs/                           for pipelines: exit 1 if one is sick
  inquest triage runs/                          many logs: which are sick, and which share a cause
  inquest watch                                 say it the moment it happens
  inquest explain dropped-answer                what a rule or state means

All options of inspect: inquest inspect --help

Exit codes:
  0  nothing to report at the threshold of --fail-on
  1  a finding at or above that threshold
  2  wrong usage; nothing was read
  3  some input could not be analysed; the verdict is incomplete`

/** Runs one command line (without node and script) and returns the exit code. Throws nothing. */
export async function run(argv: readonly string[], io: Io, diagnose: Diagnose): Promise<number> {
  try {
    return await execute(argv, io, diagnose)
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : fail(io, 2, error.message.replace(/^error: /, ''))
    if (error instanceof UsageError) return fail(io, 2, error.message)
    return fail(io, 3, error instanceof Error ? ((io.env['DEBUG'] && error.stack) || error.message) : String(error))
  }
}

async function execute(argv: readonly string[], io: Io, diagnose: Diagnose): Promise<number> {
  let code = 0
  const program = new Command('inquest')
    .description('Reads recorded DeepSeek Harness session logs and says why a run got stuck.')
    .usage('[inspect] [options] [LOG...]\n       inquest COMMAND [options]')
    .version(version)
    .helpCommand('help [COMMAND]', 'show the help of a command')
    .addHelpText('after', AFTER_HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 100, 100),
    })
  const done = (result: number) => { code = result }
  addInspect(program, io, diagnose, done)
  addCheck(program, io, diagnose, done)
  addReports(program, io, done)
  addInit(program, io)
  addTrace(program, io, done)
  addTriage(program, io, done)
  addWatch(program, io, done)
  addRules(program, io)
  addExplain(program, io)
  await program.parseAsync(argv, { from: 'user' })
  return code
}

function fail(io: Io, code: number, message: string): number {
  io.stderr.write(`inquest: ${io.env['DEBUG'] ? cleanText(message) : oneLine(cleanText(message))}\n`)
  return code
}
