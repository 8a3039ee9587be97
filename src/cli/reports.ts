/** Commands over saved reports: `report`, `merge`, `diff`. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Chalk } from 'chalk'
import type { Command } from 'commander'
import { UsageError } from '../errors.ts'
import { diffReports, type Located } from '../report/diff.ts'
import { mergeReports } from '../report/merge.ts'
import { reportSchema, type Report } from '../report/schema.ts'
import { cleanText } from '../reporters/clean.ts'
import { count, cut, oneLine } from '../reporters/format.ts'
import { exitCodeOf } from './check.ts'
import { readJson } from './config.ts'
import type { Io } from './io.ts'
import { addPrintOptions, type PrintFlags, planPrinting } from './printing.ts'
import { type ColorChoice, terminalOptions } from './terminal.ts'

type Done = (code: number) => void

export function addReports(program: Command, io: Io, done: Done): void {
  addPrintOptions(program.command('report'))
    .description('print a saved report again')
    .argument('<REPORT>', 'JSON report, as --output json=FILE writes it')
    .action((path: string, options: PrintFlags) => {
      const print = planPrinting(options, io)
      const report = readReport(path, io.cwd)
      print(report)
      done(exitCodeOf(report))
    })

  addPrintOptions(program.command('merge'))
    .description('make one report of many, such as the parts of a sharded check')
    .argument('<REPORT...>', 'JSON reports')
    .action((paths: string[], options: PrintFlags) => {
      const print = planPrinting(options, io)
      const merged = mergeReports(paths.map((path) => readReport(path, io.cwd)))
      print(merged)
      done(exitCodeOf(merged))
    })

  program
    .command('diff')
    .description('compare two reports, such as before and after a fix; exit 1 when there is something new')
    .argument('<OLD>', 'JSON report')
    .argument('<NEW>', 'JSON report')
    .option('--json', 'print the differences as JSON')
    .option('--color <WHEN>', 'colour: always, never, auto', 'auto')
    .action((before: string, after: string, options: { readonly json?: true; readonly color: ColorChoice }) => {
      const difference = diffReports(readReport(before, io.cwd), readReport(after, io.cwd))
      const { added, fixed, unchanged } = difference
      if (options.json === true) io.stdout.write(`${JSON.stringify(difference, null, 2)}\n`)
      else {
        const { color, width } = terminalOptions(io, options.color, 'normal')
        const ink = new Chalk({ level: color ? 1 : 0 })
        io.stdout.write([
          `${count(added.length, 'new finding')}, ${fixed.length} fixed, ${unchanged.length} unchanged\n`,
          ...added.map((f) => `${ink.red('new')}    ${line(f, width - 7)}\n`),
          ...fixed.map((f) => `${ink.green('fixed')}  ${line(f, width - 7)}\n`),
        ].join(''))
      }
      done(added.length > 0 ? 1 : 0)
    })
}

function line({ source, finding }: Located, width: number): string {
  return cut(oneLine(cleanText(`${finding.severity} ${finding.rule}: ${finding.text} (${source})`)), width)
}

/** The file's own object, not zod's copy: fields in their order, later ones included. Throws UsageError. */
function readReport(path: string, cwd: string): Report {
  if (!existsSync(resolve(cwd, path))) throw new UsageError(`${path}: no such report`)
  const value = readJson(resolve(cwd, path), path)
  if (isReport(value)) return value
  const [first] = reportSchema.safeParse(value).error?.issues ?? []
  throw new UsageError(`${path}: not a report of this version${first === undefined ? '' : `: ${first.path.join('.')}: ${first.message}`}`)
}

function isReport(value: unknown): value is Report {
  return reportSchema.safeParse(value).success
}
