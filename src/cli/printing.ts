import { type Command, Option } from 'commander'
import type { Report } from '../report/schema.ts'
import { cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { type PrintOptions, reporters } from '../reporters/index.ts'
import type { Io } from './io.ts'
import { type Output, parseFormat, parseOutput, planOutputs, writeAtomically } from './output.ts'
import { type ColorChoice, fileOptions, terminalOptions } from './terminal.ts'

/** The options of every command that prints a report. */
export interface PrintFlags {
  readonly format?: string
  readonly output?: readonly Output[]
  readonly quiet?: true
  readonly verbose?: true
  readonly color: ColorChoice
}


export function addPrintOptions(command: Command): Command {
  return command
    .option('-f, --format <FORMAT>', `format on standard output: ${[...reporters.keys()].join(', ')}`, parseFormat)
    .option('-o, --output <FORMAT=PATH>', 'also write a report to a file (- for standard output); may be repeated', parseOutput)
    .addOption(new Option('-q, --quiet', 'only the verdict of each session').conflicts('verbose'))
    .option('-v, --verbose', 'everything')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
}

/** Checks where to write, before the work is done; gives what writes the report there. */
export function planPrinting(flags: PrintFlags, io: Io): (report: Report) => void {
  const outputs = planOutputs(flags.format, flags.output ?? [], io.cwd)
  const verbosity = flags.quiet === true ? 'quiet' : flags.verbose === true ? 'verbose' : 'normal'
  return (report) => {
    const print = (format: string, how: PrintOptions) => reporters.get(format)?.(report, how) ?? ''
    for (const { format, path } of outputs) {
      if (path === null) io.stdout.write(print(format, terminalOptions(io, flags.color, verbosity)))
      else writeAtomically(path, print(format, fileOptions(verbosity)))
    }
    if (!outputs.some((o) => o.path === null && o.format === 'text')) {
      for (const { source, text } of report.failures) io.stderr.write(`inquest: ${oneLine(cleanText(`${source}: ${text}`))}\n`)
    }
  }
}
