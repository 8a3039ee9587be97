import { type Command, InvalidArgumentError, Option } from 'commander'
import { presetName } from '../decode/vocabulary.ts'
import { severities, type Severity } from '../facts/vocabulary.ts'
import { cut } from '../reporters/format.ts'
import type { Triage } from '../triage/index.ts'
import type { TriageRow } from '../triage/row.ts'
import { knownRule } from './config.ts'
import type { Io } from './io.ts'
import { writeAtomically } from './output.ts'
import { type ColorChoice, terminalOptions } from './terminal.ts'

const FORMATS = ['text', 'json', 'ndjson', 'markdown'] as const

interface TriageFlags {
  readonly format: (typeof FORMATS)[number]
  readonly since?: number
  readonly rule?: readonly string[]
  readonly cwd?: string
  readonly preset?: string
  readonly failOn?: Severity
  readonly cache: boolean
  readonly replay: boolean
  readonly verbose?: true
  readonly quiet?: true
  readonly color: ColorChoice
}

const AFTER_HELP = `
Results are kept in a cache (XDG_CACHE_HOME or ~/.cache, folder dsh-inquest), by file, size and time of change: only logs
that are new or have changed are read again. Ctrl-C prints what is known by then, with exit code 130; a second one ends at once.`

const ERASE = '\r\u001b[K'
const PROGRESS_MS = 100
const INTERRUPTED = 130

export function addTriage(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('triage')
    .description('many logs: which are sick, with what, and which share a cause')
    .argument('[LOG...]', 'log files, folders, export archives (default: the newest session)')
    .addOption(new Option('-f, --format <FORMAT>', 'format on standard output').choices(FORMATS).default('text'))
    .option('--since <WHEN>', 'only sessions that went on after this: 2026-11-30, or 12h, 7d', parseSince)
    .option('--rule <RULE>', 'only sessions with a finding of this rule; may be repeated', (id: string, others: readonly string[] | undefined) => [...(others ?? []), knownRule(id)])
    .option('--cwd <FOLDER>', 'only sessions that ran in this folder or below')
    .option('--preset <NAME>', 'only sessions of this agent preset (code and ptc are one)')
    .addOption(new Option('--fail-on <SEVERITY>', 'exit 1 on a finding of this severity or worse').choices(severities))
    .option('--no-cache', 'read every log, and keep nothing')
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .addOption(new Option('-q, --quiet', 'no clusters').conflicts('verbose'))
    .option('-v, --verbose', 'all sessions, also healthy ones')
    .addOption(new Option('--color <WHEN>', 'colour on standard output').choices(['always', 'never', 'auto']).default('auto'))
    .addHelpText('after', AFTER_HELP)
    .action(async (logs: string[], flags: TriageFlags) => done(await run(logs, flags, io)))
}

async function run(logs: readonly string[], flags: TriageFlags, io: Io): Promise<number> {
  const [{ triage }, { Cache, cacheFolder }, print] = await Promise.all([import('../triage/index.ts'), import('../triage/cache.ts'), import('../triage/print.ts')])
  const wanted = filter(flags)
  const show = (text: string): void => { if (io.stderr.isTTY === true) io.stderr.write(ERASE + text) }
  const interrupt = new AbortController()
  const forget = io.onInterrupt(() => {
    show('')
    io.stderr.write('inquest: stopping; Ctrl-C again ends at once\n')
    interrupt.abort()
  })
  let shown = 0
  try {
    const found = await triage(logs, {
      env: io.env, replay: flags.replay, signal: interrupt.signal,
      cache: flags.cache ? new Cache(cacheFolder(io.env), writeAtomically) : null,
      onProgress: (count, total) => {
        if (performance.now() < shown + PROGRESS_MS) return
        shown = performance.now()
        show(cut(`${count} of ${total} logs`, (io.stderr.columns ?? 80) - 1))
      },
      onRow: (row) => {
        if (flags.format !== 'ndjson' || !wanted(row)) return
        show('')
        io.stdout.write(print.triageLines(row))
      },
      ...(logs.includes('-') ? { stdin: io.stdin } : {}),
    })
    show('')
    const result = { ...found, rows: found.rows.filter(wanted) }
    if (flags.format === 'text') io.stdout.write(print.triageText(result, terminalOptions(io, flags.color, flags.quiet ? 'quiet' : flags.verbose ? 'verbose' : 'normal')))
    if (flags.format === 'markdown') io.stdout.write(print.triageMarkdown(result))
    if (flags.format === 'json') io.stdout.write(print.triageJson(result))
    if (found.stopped) io.stderr.write(`inquest: stopped after ${found.done} of ${found.logs} logs\n`)
    return exitCode(result, flags.failOn)
  } finally {
    forget()
  }
}

/** As `inspect`; what was stopped early is incomplete. */
function exitCode({ rows, failures, stopped }: Triage, failOn: Severity | undefined): number {
  if (stopped) return INTERRUPTED
  if (failures.length > 0) return 3
  const failing = failOn === undefined ? [] : severities.slice(0, severities.indexOf(failOn) + 1)
  return rows.some((row) => row.findings.some((f) => failing.includes(f.severity))) ? 1 : 0
}

function filter({ since, rule = [], cwd, preset }: TriageFlags): (row: TriageRow) => boolean {
  const folder = cwd?.replace(/\/+$/, '')
  return (row) => (since === undefined || (row.endedAt ?? 0) >= since)
    && rule.every((id) => row.findings.some((f) => f.rule === id))
    && (folder === undefined || row.cwd === folder || row.cwd?.startsWith(`${folder}/`) === true)
    && (preset === undefined || row.agentPreset === presetName(preset))
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Epoch ms. */
function parseSince(text: string): number {
  const [, number, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const time = number === undefined ? Date.parse(text) : Date.now() - Number(number) * (UNITS[unit] ?? 0)
  if (Number.isNaN(time)) throw new InvalidArgumentError('Expected a date, or a time such as 30m, 12h, 7d, 2w.')
  return time
}
