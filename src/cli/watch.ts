import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Chalk } from 'chalk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { severities, type Severity } from '../facts/vocabulary.ts'
import type { Finding } from '../report/schema.ts'
import { cleanJson, cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { rules } from '../rules/index.ts'
import { harnessHome } from '../source/index.ts'
import { watch, type Alert } from '../watch/index.ts'
import { knownRule } from './config.ts'
import type { Io } from './io.ts'
import { type ColorChoice, terminalOptions } from './terminal.ts'

interface WatchFlags {
  readonly format: 'text' | 'ndjson'
  readonly exec?: string
  readonly bell?: true
  readonly all?: true
  readonly rule: readonly string[]
  readonly minSeverity: Severity
  readonly openAfter: number
  readonly replay: boolean
  readonly color: ColorChoice
}

/** What is worth an interruption while a run goes on. */
const URGENT = new Set([...rules.filter((r) => r.family === 'answers' || r.family === 'questions').map((r) => r.id), 'unguarded-question', 'idle-rounds', 'call-cycle'])

const AFTER_HELP = `
Watches the sessions of the harness home, or the folders and logs that are named. What was wrong before is not told.
--exec runs a program without a shell; it gets the finding and its session as JSON on its standard input.
Ctrl-C ends the watch.`

export function addWatch(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('watch')
    .description('follow live sessions: say it when an answer is dropped, a question stays open, or rounds spin idle')
    .argument('[DIR...]', 'folders or logs (default: the sessions of the harness home)')
    .addOption(new Option('-f, --format <FORMAT>', 'format on standard output').choices(['text', 'ndjson']).default('text'))
    .option('--exec <COMMAND>', 'run this for every finding (words split at spaces)')
    .option('--bell', 'ring the terminal bell')
    .option('--all', 'also tell what was wrong in live sessions before the watch began')
    .option('--rule <RULE>', 'only this rule; may be repeated (default: answers, questions, idle rounds, cycles)', (id: string, others: readonly string[]) => [...others, knownRule(id)], [])
    .addOption(new Option('--min-severity <SEVERITY>', 'only findings of this severity or worse').choices(severities).default('warning'))
    .option('--open-after <SECONDS>', 'when a question counts as left open', parseSeconds, 120)
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
    .addHelpText('after', AFTER_HELP)
    .action(async (folders: string[], flags: WatchFlags) => {
      const stop = new AbortController()
      const forget = io.onInterrupt(() => stop.abort())
      const hook = flags.exec === undefined ? null : new Hook(flags.exec.split(/\s+/).filter((word) => word !== ''), io)
      const roots = folders.length > 0 ? folders : [join(harnessHome(io.env), 'sessions')]
      if (flags.format === 'text') io.stderr.write(`inquest: watching ${roots.map(cleanText).join(', ')}\n`)
      try {
        await watch(roots, {
          signal: stop.signal, all: flags.all ?? false, replay: flags.replay, openAfterMs: flags.openAfter * 1000,
          wants: wanted(flags),
          onAlert: (alert) => {
            io.stdout.write(flags.format === 'ndjson' ? lineOf(alert) : textOf(alert, io, flags))
            if (flags.bell) io.stderr.write('\u0007')
            hook?.run(alert)
          },
        })
        await hook?.idle()
      } finally {
        forget()
      }
      done(0)
    })
}

function wanted({ rule, minSeverity }: WatchFlags): (finding: Finding) => boolean {
  const ids = rule.length > 0 ? new Set(rule) : URGENT
  const worse = severities.slice(0, severities.indexOf(minSeverity) + 1)
  return (finding) => ids.has(finding.rule) && worse.includes(finding.severity)
}

/** The same shape as a line of the ndjson report. */
function lineOf({ session, source, cwd, finding }: Alert): string {
  return `${cleanJson(JSON.stringify({ session, source, cwd, ...finding }))}\n`
}

function textOf({ session, source, finding }: Alert, io: Io, { color }: WatchFlags): string {
  const ink = new Chalk({ level: terminalOptions(io, color, 'normal').color ? 1 : 0 })
  const paint = finding.severity === 'error' ? ink.red : ink.yellow
  return `${paint(finding.severity)} ${finding.rule}: ${clean(finding.text)}\n${ink.dim(`  ${clean(session)}  ${clean(source)}:${finding.at.line}`)}\n${finding.fix === null ? '' : `  ${clean(finding.fix)}\n`}`
}

function clean(text: string): string {
  return oneLine(cleanText(text))
}

/** Runs the user's program for one finding after the other. */
class Hook {
  readonly #argv: readonly string[]
  readonly #io: Io
  #queue: Promise<void> = Promise.resolve()

  constructor(argv: readonly string[], io: Io) {
    this.#argv = argv
    this.#io = io
  }

  run(alert: Alert): void {
    this.#queue = this.#queue.then(async () => this.#spawn(lineOf(alert)))
  }

  async idle(): Promise<void> {
    await this.#queue
  }

  async #spawn(input: string): Promise<void> {
    const [command = '', ...args] = this.#argv
    await new Promise<void>((resolve) => {
      const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'], cwd: this.#io.cwd, shell: false })
      child.once('error', (error) => {
        this.#io.stderr.write(`inquest: --exec: ${error.message}\n`)
        resolve()
      })
      child.once('exit', () => resolve())
      // A program that does not read its input closes the pipe.
      child.stdin.on('error', () => undefined)
      child.stdin.end(input)
    })
  }
}

function parseSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(text)
}
