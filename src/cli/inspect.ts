import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { UsageError } from '../errors.ts'
import { severities, type Severity } from '../facts/vocabulary.ts'
import { nearest } from '../nearest.ts'
import type { Report } from '../report/schema.ts'
import { analyse } from './analyse.ts'
import type { Diagnose, Io } from './io.ts'
import { addPrintOptions, type PrintFlags, planPrinting } from './printing.ts'

interface InspectOptions extends PrintFlags {
  readonly failOn?: Severity
  readonly replay: boolean
}

/** Adds `inspect`, which is also what happens when no command is named. `done` gets the exit code. */
export function addInspect(program: Command, io: Io, diagnose: Diagnose, done: (code: number) => void): void {
  addPrintOptions(program.command('inspect', { isDefault: true }))
    .description('say why a run got stuck')
    .argument('[LOG...]', 'log files, session folders or roots, export archives, or - for standard input (default: the newest session)')
    .addOption(new Option('--fail-on <SEVERITY>', 'exit 1 on a finding of this severity or worse').choices(severities))
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .action(async (logs: string[], options: InspectOptions) => {
      rejectMisspeltCommand(program, logs[0], io.cwd)
      done(await inspect(logs, options, io, diagnose))
    })
}

/** A bare word that is no file, but nearly a command, was meant as one. */
function rejectMisspeltCommand(program: Command, word: string | undefined, cwd: string): void {
  if (word === undefined || !/^[a-z-]+$/i.test(word) || word === '-' || existsSync(resolve(cwd, word))) return
  const command = nearest(word, program.commands.map((c) => c.name()))
  if (command !== null) throw new UsageError(`unknown command ${word} (did you mean ${command}?)`)
}

async function inspect(logs: readonly string[], options: InspectOptions, io: Io, diagnose: Diagnose): Promise<number> {
  const print = planPrinting(options, io)
  const report = await analyse(logs, io, diagnose, { replay: options.replay })
  print(report)
  return exitCode(report, options.failOn)
}

/** 3: the verdict is incomplete; 1: a finding at or above the threshold; else 0. (2, wrong usage, never gets here.) */
function exitCode(report: Report, failOn: Severity | undefined): number {
  if (report.failures.length > 0) return 3
  if (failOn === undefined) return 0
  const failing = severities.slice(0, severities.indexOf(failOn) + 1)
  return failing.some((severity) => report.summary.findings[severity] > 0) ? 1 : 0
}
