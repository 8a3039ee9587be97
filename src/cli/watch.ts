import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Chalk } from 'chalk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { severities, type Severity } from '../facts/vocabulary.ts'
import type { Finding } from '../report/schema.ts'
import { cleanJson, cleanText } from '../reporters/clean.ts'
import { oneLine } from '../reporters/format.ts'
import { rules } from '../rules/index.ts'
import { Hook } from '../watch/hook.ts'
import type { Alert } from '../watch/index.ts'
import { knownRule } from './config.ts'
import type { Io } from './io.ts'
import { type ColorChoice, terminalOptions } from './terminal.ts'

interface WatchFlags {
  readonly format: 'text' | 'ndjson'
  readonly exec?: readonly [string, ...string[]]
  readonly bell?: true
  readonly all?: true
  readonly rule?: readonly string[]
  readonly minSeverity: Severity
  readonly openAfter: number
  readonly replay: boolean
  readonly color: ColorChoice
}

/** What is worth an interruption while a run goes on. */
const URGENT = new Set([...rules.filter((r) => r.family === 'answers' || r.family === 'questions').map((r) => r.id), 'unguarded-question', 'idle-rounds', 'call-cycle'])

const HOOK_MS = 30_000
const GRACE_MS = 1000

const AFTER_HELP = `
Watches the sessions of the harness home, or the folders and logs that are named. What was wrong before is not told.
--exec runs a program without a shell; it gets the finding and its session as JSON on its standard input, one finding
after the other. When it fails, or takes longer than 30 s and is ended, that is said and the watch goes on.
Ctrl-C ends the watch.`

export function addWatch(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('watch')
    .description('follow live sessions: say it when an answer is dropped, a question stays open, or rounds spin idle')
    .argument('[DIR...]', 'folders or logs (default: the sessions of the harness home)')
    .addOption(new Option('-f, --format <FORMAT>', 'format on standard output').choices(['text', 'ndjson']).default('text'))
    .option('--exec <COMMAND>', 'run this for every finding (words split at spaces)', parseCommand)
    .option('--bell', 'ring the terminal bell')
    .option('--all', 'also tell what was wrong in live sessions before the watch began')
    .option('--rule <RULE>', 'only this rule; may be repeated (default: answers, questions, idle rounds, cycles)', (id: string, others: readonly string[] | undefined) => [...(others ?? []), knownRule(id)])
    .addOption(new Option('--min-severity <SEVERITY>', 'only findings of this severity or worse').choices(severities).default('warning'))
    .option('--open-after <SECONDS>', 'when a question counts as left open', parseSeconds, 120)
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
    .addHelpText('after', AFTER_HELP)
    .action(async (folders: string[], flags: WatchFlags) => {
      const [{ watch }, { harnessHome }] = await Promise.all([import('../watch/index.ts'), import('../source/index.ts')])
      const stop = new AbortController()
      const forget = io.onInterrupt(() => stop.abort())
      // Nobody reads on, as in `| head -1`.
      io.stdout.once?.('error', () => stop.abort())
      const trouble = (text: string): unknown => io.stderr.write(`inquest: ${clean(text)}\n`)
      const hook = flags.exec === undefined ? null : new Hook(flags.exec, { cwd: io.cwd, timeoutMs: HOOK_MS, onTrouble: (message) => trouble(`--exec: ${message}`) })
      const roots = folders.length > 0 ? folders : [join(harnessHome(io.env), 'sessions')]
      if (flags.format === 'text') io.stderr.write(`inquest: watching ${roots.map(cleanText).join(', ')}\n`)
      for (const root of roots) if (!existsSync(root)) trouble(`${root} does not exist yet; waiting for it`)
      try {
        await watch(roots, {
          signal: stop.signal, all: flags.all ?? false, replay: flags.replay, openAfterMs: flags.openAfter * 1000,
          wants: wanted(flags),
          onTrouble: (path, message) => trouble(`${path}: ${message}`),
          onAlert: (alert) => {
            io.stdout.write(flags.format === 'ndjson' ? lineOf(alert) : textOf(alert, io, flags))
            if (flags.bell) io.stderr.write('\u0007')
            hook?.run(lineOf(alert))
          },
        })
        await hook?.close(GRACE_MS)
      } finally {
        forget()
      }
      done(0)
    })
}

function wanted({ rule, minSeverity }: WatchFlags): (finding: Finding) => boolean {
  const ids = rule === undefined ? URGENT : new Set(rule)
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

function parseCommand(text: string): readonly [string, ...string[]] {
  const [command, ...args] = text.split(/\s+/).filter((word) => word !== '')
  if (command === undefined) throw new InvalidArgumentError('Expected a program.')
  return [command, ...args]
}

function parseSeconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(text)
}
