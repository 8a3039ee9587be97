/** Logs → report. The one place that knows the whole chain; everything it calls is usable on its own. */
import { decodeLog } from './decode/decode.ts'
import { InputError, inputErrorOf, UsageError } from './errors.ts'
import { certainties, type Certainty, type Severity } from './facts/vocabulary.ts'
import { createFacts } from './facts/index.ts'
import { SessionBuilder } from './model/build.ts'
import type { Session } from './model/session.ts'
import { createProgramAnalyser, type ProgramAnalyser } from './programs/index.ts'
import { assembleReport, assembleSession, type RuleFinding } from './report/assemble.ts'
import type { Failure, Report, SessionReport } from './report/schema.ts'
import { failureOf } from './report/failure.ts'
import { rules } from './rules/index.ts'
import { resolveSources, type LogSource } from './source/index.ts'
import { version } from './version.ts'

export interface DiagnoseOptions {
  /** Run recorded programs again in the sealed interpreter. Default true. */
  readonly replay?: boolean
  /** Read for the path `-`, or when no path is given and it is not null. */
  readonly stdin?: AsyncIterable<Uint8Array>
  /** `DSH_HOME` and `HOME` are looked up here when no path is given. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** `off` skips a rule; a severity stands for all its findings, whatever the case. Unknown ids are ignored. */
  readonly rules?: Readonly<Record<string, Severity | 'off'>>
  /** Findings less certain than this are left out. Default `possible`: none. */
  readonly minCertainty?: Certainty
  /** Judge only every `count`-th family of sessions, beginning with the `index`-th (1-based), and say so in `report.shard`. */
  readonly shard?: { readonly index: number; readonly count: number }
  /** Called as bytes are read: `bytes` of `totalBytes` (null when unknown) of `source`. */
  readonly onProgress?: (progress: { readonly source: string; readonly bytes: number; readonly totalBytes: number | null }) => void
}

/**
 * Judges sessions, and every log below the given paths (files, session folders, roots, export zips, `-`).
 * Without any input: the newest session under the harness home. What cannot be analysed is in `report.failures`;
 * only UsageError is thrown.
 */
export async function diagnose(input: string | Session | readonly (string | Session)[] = [], options: DiagnoseOptions = {}): Promise<Report> {
  const inputs = typeof input === 'string' || isSession(input) ? [input] : input
  const given = inputs.filter((i) => typeof i !== 'string')
  const paths = inputs.filter((i) => typeof i === 'string')
  const sources = given.length > 0 && paths.length === 0 ? { logs: [], failures: [] } : await resolveSources(paths, options)
  const failures: Failure[] = sources.failures.map(failureOf)
  const sessions: SessionReport[] = []
  const order: number[] = []
  const { index, count } = options.shard ?? { index: 1, count: 1 }
  const programs = createProgramAnalyser({ replay: options.replay ?? true })
  try {
    const items = [...given, ...sources.logs]
    const families = numberFamilies(items)
    for (const [place, item] of items.entries()) {
      if ((families[place] ?? 0) % count !== index - 1) continue
      try {
        const judged = isSession(item) ? await judge(item, programs, options) : await judgeLog(item, programs, options)
        sessions.push(judged.report)
        order.push(place)
        failures.push(...judged.failures)
      } catch (error) {
        failures.push(failureOf(inputErrorOf(error, isSession(item) ? item.source : item.name)))
      }
    }
  } finally {
    await programs.close()
  }
  const report = assembleReport(version, sessions, failures, rules)
  return options.shard === undefined ? report : { ...report, shard: { index, count, order } }
}

/** Which family each belongs to, numbered from 0: children, who come after their parents, share the parent's. */
function numberFamilies(items: readonly (Session | LogSource)[]): number[] {
  const known = new Map<string, number>()
  let next = 0
  return items.map((item) => {
    const { id, parent } = isSession(item) ? { id: item.header.id, parent: item.header.parentSession } : item
    const family = (parent === null ? undefined : known.get(parent)) ?? next++
    known.set(id, family)
    return family
  })
}

function isSession(input: Session | LogSource | readonly (string | Session)[]): input is Session {
  return 'header' in input
}

/**
 * Reads the one log at `path` into a Session. Throws InputError when there is none or it cannot be read,
 * UsageError when the path holds several sessions (use `diagnose` for those).
 */
export async function readSession(path: string, options: DiagnoseOptions = {}): Promise<Session> {
  const { logs, failures } = await resolveSources([path], options)
  const [log, second] = logs
  if (second) throw new UsageError(`${path} holds ${logs.length} sessions; name one of them`)
  if (!log) throw failures[0] ?? new InputError('no-log', path, 'no session log found here')
  return readLog(log, options)
}

/** Reads one log into a Session. Throws InputError when it is no readable log. */
export async function readLog(log: LogSource, options: Pick<DiagnoseOptions, 'onProgress'> = {}): Promise<Session> {
  const builder = new SessionBuilder(log.name)
  for (const issue of log.issues) builder.issue(issue)
  await decodeLog(withProgress(log, options.onProgress), log.name, builder)
  return builder.finish()
}

/** Reads and judges one log. Throws InputError when it is no readable log. */
export async function judgeLog(log: LogSource, programs: ProgramAnalyser, options: DiagnoseOptions = {}): Promise<{ report: SessionReport; failures: Failure[] }> {
  return judge(await readLog(log, options), programs, options)
}

/** Bytes of a log whose other facts may take much memory: only the answers need the replayer's. */
const LARGE = 64 * 1024 * 1024

/** Runs every rule over one session. A rule (or a fact it needs) that throws becomes a failure; the others run. */
export async function judge(session: Session, programs: ProgramAnalyser, options: DiagnoseOptions): Promise<{ report: SessionReport; failures: Failure[] }> {
  const get = createFacts(session, programs)
  const failures: Failure[] = []
  const findings: RuleFinding[] = []
  const notEvaluated: { rule: string; because: string }[] = []
  const checked: string[] = []
  const answers = await settle(get('answers'), [])
  if (session.bytes > LARGE) await programs.rest()
  const certain = certainties.slice(0, certainties.indexOf(options.minCertainty ?? 'possible') + 1)
  for (const rule of rules) {
    const level = options.rules?.[rule.id]
    if (level === 'off') continue
    try {
      await rule.run(session, get, {
        finding: (finding) => {
          if (certain.includes(finding.certainty)) findings.push({ rule, severity: level ?? finding.severity ?? rule.severity, finding })
        },
        notEvaluated: (because) => notEvaluated.push({ rule: rule.id, because }),
      })
      checked.push(rule.id)
    } catch (error) {
      failures.push({ source: session.source, code: 'rule-threw', text: `${rule.id}: ${error instanceof Error ? error.message : String(error)}`, rule: rule.id })
    }
  }
  const rounds = await settle(get('rounds'), [])
  const guardsWorked = await settle(get('guards').then((g) => g.worked), [])
  return { report: assembleSession({ session, answers, rounds, guardsWorked, findings, notEvaluated, checked }), failures }
}

async function settle<T>(fact: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await fact
  } catch {
    return otherwise
  }
}

async function* withProgress(log: LogSource, onProgress: DiagnoseOptions['onProgress']): AsyncIterable<Uint8Array> {
  let bytes = 0
  for await (const chunk of log.open()) {
    bytes += chunk.length
    onProgress?.({ source: log.name, bytes, totalBytes: log.size })
    yield chunk
  }
}
