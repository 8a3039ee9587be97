import { type Command, Option } from 'commander'
import { InputError } from '../errors.ts'
import { cleanJson, cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { traceText } from '../reporters/text/trace.ts'
import type { Io } from './io.ts'
import { type ColorChoice, terminalOptions } from './terminal.ts'

interface TraceFlags {
  readonly json?: true
  readonly verbose?: true
  readonly color: ColorChoice
  readonly replay: boolean
}

export function addTrace(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('trace')
    .description('follow one answer through the layers, with the raw rows')
    .argument('<LOG>', 'log file, folder, or archive; - for standard input')
    .argument('<QUESTION|CALL|SEQ>', 'question id, call or sub call id, or a seq between asking and result')
    .option('--json', 'print the trace as JSON')
    .option('-v, --verbose', 'whole rows and the whole program')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .action(async (log: string, what: string, flags: TraceFlags) => {
      try {
        const { trace } = await import('../trace.ts')
        const traces = await trace(log, what, { replay: flags.replay, env: io.env, ...(log === '-' ? { stdin: io.stdin } : {}) })
        const options = terminalOptions(io, flags.color, flags.verbose === true ? 'verbose' : 'normal')
        io.stdout.write(flags.json === true ? `${cleanJson(JSON.stringify(traces, null, 2))}\n` : traceText(traces, options))
        done(0)
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        io.stderr.write(`inquest: ${oneLine(cleanText(`${error.path}: ${error.message}`))}\n`)
        done(3)
      }
    })
}
