import { isAbsolute, join, relative } from 'node:path'
import { type Command, Option } from 'commander'
import { UsageError } from '../errors.ts'
import { certainties, severities, type Certainty, type Severity } from '../facts/vocabulary.ts'
import { didYouMean } from '../nearest.ts'
import { parseAssertion, subjectNames } from '../report/assertions.ts'
import { applyBaseline, updateBaseline } from '../report/baseline.ts'
import { judge } from '../report/check.ts'
import type { Report } from '../report/schema.ts'
import { cleanText } from '../reporters/clean.ts'
import { count, oneLine } from '../reporters/format.ts'
import { analyse } from './analyse.ts'
import { type BaselineFile, openBaseline, withoutReason } from './baseline-file.ts'
import { knownRule, type LoadedConfig, loadConfig } from './config.ts'
import { expandGlob } from './globs.ts'
import type { Diagnose, Io } from './io.ts'
import { addPrintOptions, type PrintFlags, planPrinting } from './printing.ts'

interface CheckOptions extends PrintFlags {
  readonly config?: string
  readonly printConfig?: true
  readonly failOn?: Severity
  readonly minCertainty?: Certainty
  readonly rule?: Readonly<Record<string, Severity | 'off'>>
  readonly max?: Readonly<Record<string, number>>
  readonly assert?: readonly string[]
  readonly baseline?: string
  readonly updateBaseline?: true
  readonly reason?: string
  readonly pruneCheck?: true
  readonly shard?: { readonly index: number; readonly count: number }
  readonly replay: boolean
}

/** The configuration with the command line over it; paths are relative to the working directory. */
interface Settings {
  readonly logs: readonly string[]
  readonly failOn: Severity
  readonly minCertainty: Certainty
  readonly rules: Readonly<Record<string, Severity | 'off'>>
  readonly max: Readonly<Record<string, number>>
  readonly assert: readonly string[]
  readonly baseline: string | null
  readonly pruneCheck: boolean
}

const DEFAULT_BASELINE = 'inquest.baseline.json'

const AFTER_HELP = `
Assertions: SUBJECT OPERATOR VALUE, for every session that has the subject.
  goal.phase == complete    rounds <= 20    answers.dropped == 0    waitMs < 120000
  tools.used contains bash  tools.used never ask_user_question
  Subjects: ${subjectNames.join(', ')}

Exit codes:
  0  passed
  1  a finding at or above --fail-on, a limit, an assertion, or a stale baseline under --prune-check
  2  wrong usage, configuration or baseline; nothing was read
  3  some input could not be analysed; the verdict is incomplete`

export function addCheck(program: Command, io: Io, diagnose: Diagnose, done: (code: number) => void): void {
  addPrintOptions(program.command('check'))
    .description('fail when a recorded run is sick: for pipelines')
    .argument('[LOG...]', 'log files, folders, archives or globs (default: `logs` of the configuration)')
    .addOption(new Option('--fail-on <SEVERITY>', 'fail on a finding of this severity or worse (default: error)').choices(severities))
    .addOption(new Option('--min-certainty <CERTAINTY>', 'leave out findings that are less certain').choices(certainties))
    .option('--rule <RULE=LEVEL>', `severity of a rule: off, ${severities.join(', ')}; may be repeated`, parseLevel)
    .option('--max <RULE=N>', 'most findings of a rule in the whole run; may be repeated', parseMax)
    .option('--assert <EXPRESSION>', 'what must hold for every session; may be repeated', (text: string, others: readonly string[] | undefined) => [...(others ?? []), parseAssertion(text).expression])
    .option('--baseline <FILE>', 'findings to accept')
    .option('--update-baseline', `accept every finding that fails now (default file: ${DEFAULT_BASELINE})`)
    .option('--reason <TEXT>', 'with --update-baseline: why the new ones are accepted')
    .option('--prune-check', 'fail when the baseline accepts something that no longer occurs')
    .option('--shard <I/N>', 'check one of N parts of the logs; put the parts together with inquest merge', parseShard)
    .option('--config <FILE>', 'configuration instead of inquest.config.json or the key inquest of package.json')
    .option('--print-config', 'print the effective configuration and stop')
    .option('--no-replay', 'do not run recorded programs again in the sealed interpreter')
    .addHelpText('after', AFTER_HELP)
    .action(async (logs: string[], options: CheckOptions) => done(await check(logs, options, io, diagnose)))
}

async function check(logs: readonly string[], options: CheckOptions, io: Io, diagnose: Diagnose): Promise<number> {
  const settings = settingsOf(logs, options, loadConfig(options.config, io.cwd), io.cwd)
  if (options.printConfig === true) {
    io.stdout.write(`${JSON.stringify(settings, null, 2)}\n`)
    return 0
  }
  if (settings.logs.length === 0) throw new UsageError('no logs: name some, or set logs in inquest.config.json')
  const { shard, updateBaseline: update = false, reason, replay } = options
  if (update && shard !== undefined) throw new UsageError('--update-baseline needs the whole run, not a shard')
  if (reason !== undefined && !update) throw new UsageError('--reason goes with --update-baseline')
  const file = settings.baseline === null ? null : openBaseline(settings.baseline, io.cwd, update)
  const policy = { failOn: settings.failOn, max: settings.max, pruneCheck: settings.pruneCheck, assertions: settings.assert.map(parseAssertion) }
  const print = planPrinting(options, io)

  const { rules, minCertainty } = settings
  const paths = settings.logs.flatMap((pattern) => expandGlob(pattern, io.cwd))
  const found = await analyse(paths, io, diagnose, { replay, rules, minCertainty, ...(shard && { shard }) })
  if (update && file !== null) return accept(found, file, policy.failOn, reason ?? '', io)
  const { report, stale } = file === null ? { report: found, stale: [] } : applyBaseline(found, file.baseline, file.nameOf)
  const judged = judge(report, policy, stale)
  print(judged)
  return exitCodeOf(judged)
}

/** Writes the baseline that lets this very report pass; not from a report that misses something. */
function accept(report: Report, file: BaselineFile, failOn: Severity, reason: string, io: Io): number {
  if (report.failures.length > 0) {
    for (const { source, text } of report.failures) io.stderr.write(`inquest: ${oneLine(cleanText(`${source}: ${text}`))}\n`)
    io.stderr.write(`inquest: ${file.path} was not updated: some input could not be analysed\n`)
    return 3
  }
  const baseline = updateBaseline(report, file.baseline, failOn, reason, file.nameOf)
  file.write(baseline)
  const open = withoutReason(baseline).length
  io.stdout.write(`${file.path}: ${count(baseline.entries.length, 'finding')} accepted${open === 0 ? '' : `; write a reason for ${open} of them, check refuses the file until then`}\n`)
  return 0
}

/** 3: the verdict is incomplete; 1: the check failed; else 0. */
export function exitCodeOf({ failures, check: result }: Report): number {
  return failures.length > 0 ? 3 : result?.passed === false ? 1 : 0
}

function settingsOf(logs: readonly string[], options: CheckOptions, { config, folder }: LoadedConfig, cwd: string): Settings {
  const here = (path: string) => (isAbsolute(path) || path === '-' ? path : join(relative(cwd, folder), path))
  const baseline = options.baseline ?? (config.baseline === undefined ? null : here(config.baseline))
  return {
    logs: logs.length > 0 ? [...logs] : (config.logs ?? []).map(here),
    failOn: options.failOn ?? config.failOn ?? 'error',
    minCertainty: options.minCertainty ?? config.minCertainty ?? 'possible',
    rules: { ...defined(config.rules), ...options.rule },
    max: { ...defined(config.max), ...options.max },
    assert: [...(config.assert ?? []).map((text) => parseAssertion(text).expression), ...(options.assert ?? [])],
    baseline: baseline ?? (options.updateBaseline === true ? DEFAULT_BASELINE : null),
    pruneCheck: options.pruneCheck ?? config.pruneCheck ?? false,
  }
}

/** zod types the values of a partial record as possibly undefined; JSON has no such thing. */
function defined<T>(record: Readonly<Partial<Record<string, T>>> = {}): Record<string, T> {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

function parseLevel(text: string, others: Readonly<Record<string, Severity | 'off'>> = {}): Readonly<Record<string, Severity | 'off'>> {
  const [rule, value] = parsePair(text, 'RULE=LEVEL')
  const levels = ['off', ...severities] as const
  const level = levels.find((l) => l === value)
  if (level === undefined) throw new UsageError(`--rule ${text}: unknown level ${value}${didYouMean(value, levels)}; it is one of ${levels.join(', ')}`)
  return { ...others, [rule]: level }
}

function parseMax(text: string, others: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [rule, value] = parsePair(text, 'RULE=N')
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--max ${text}: expected a whole number`)
  return { ...others, [rule]: Number(value) }
}

function parsePair(text: string, shape: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 1) throw new UsageError(`${text}: expected ${shape}`)
  return [knownRule(text.slice(0, equals)), text.slice(equals + 1)]
}

function parseShard(text: string): { readonly index: number; readonly count: number } {
  const [, index = 0, total = 0] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []).map(Number)
  if (index < 1 || index > total) throw new UsageError(`--shard ${text}: expected I/N with I from 1 to N`)
  return { index, count: total }
}
