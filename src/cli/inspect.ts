import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { UsageError } from '../errors.ts'
import { severities, type Severity } from '../facts/vocabulary.ts'
import type { Report } from '../report/schema.ts'
import { cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { type PrintOptions, reporters } from '../reporters/index.ts'
import type { Diagnose, Io } from './io.ts'
import { nearest } from './nearest.ts'
import { type Output, parseFormat, parseOutput, planOutputs, writeAtomically } from './output.ts'
import { progressLine } from './progress.ts'
import { type ColorChoice, fileOptions, terminalOptions } from './terminal.ts'

interface InspectOptions {
  readonly format?: string
  readonly output: readonly Output[]
  readonly failOn?: Severity
  readonly quiet?: true
  readonly verbose?: true
  readonly color: ColorChoice
  readonly replay: boolean
}

const NO_OUTPUT: readonly Output[] = []

/** Adds `inspect`, which is also what happens when no command is named. `done` gets the exit code. */
export function addInspect(program: Command, io: Io, diagnose: Diagnose, done: (code: number) => void): void {
  program
    .command('inspect', { isDefault: true })
    .description('say why a run got stuck')
    .argument('[LOG...]', 'log files, session folders or roots, export archives, or - for standard input (default: the newest session)')
    .option('-f, --format <FORMAT>', `format on standard output: ${[...reporters.keys()].join(', ')}`, parseFormat)
    .option('-o, --output <FORMAT=PATH>', 'also write a report to a file (- for standard output); may be repeated', parseOutput, NO_OUTPUT)
    .addOption(new Option('--fail-on <SEVERITY>', 'exit 1 on a finding of this severity or worse').choices(severities))
    .addOption(new Option('-q, --quiet', 'only the verdict of each session').conflicts('verbose'))
    .option('-v, --verbose', 'everything')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
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
  const outputs = planOutputs(options.format, options.output, io.cwd)
  const progress = progressLine(io.stderr)
  const report = await diagnose(logs, {
    replay: options.replay,
    env: io.env,
    onProgress: progress.onProgress,
    // Only when asked for by name: a job's standard input is often open and empty.
    ...(logs.includes('-') ? { stdin: io.stdin } : {}),
  }).finally(() => progress.end())

  const verbosity = options.quiet === true ? 'quiet' : options.verbose === true ? 'verbose' : 'normal'
  const print = (format: string, how: PrintOptions) => reporters.get(format)?.(report, how) ?? ''
  for (const { format, path } of outputs) {
    if (path === null) io.stdout.write(print(format, terminalOptions(io, options.color, verbosity)))
    else writeAtomically(path, print(format, fileOptions(verbosity)))
  }
  if (!outputs.some((o) => o.path === null && o.format === 'text')) {
    for (const { source, text } of report.failures) io.stderr.write(`inquest: ${oneLine(cleanText(`${source}: ${text}`))}\n`)
  }
  return exitCode(report, options.failOn)
}

/** 3: the verdict is incomplete; 1: a finding at or above the threshold; else 0. (2, wrong usage, never gets here.) */
function exitCode(report: Report, failOn: Severity | undefined): number {
  if (report.failures.length > 0) return 3
  if (failOn === undefined) return 0
  const failing = severities.slice(0, severities.indexOf(failOn) + 1)
  return failing.some((severity) => report.summary.findings[severity] > 0) ? 1 : 0
}
