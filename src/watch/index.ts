/** Follows live sessions and tells findings when they come up. */
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeLog } from '../decode/decode.ts'
import { judge, readSession } from '../diagnose.ts'
import { InputError, inputErrorOf } from '../errors.ts'
import { groupBy } from '../group.ts'
import { SessionBuilder } from '../model/build.ts'
import type { QuestionCall } from '../model/session.ts'
import { createProgramAnalyser, type ProgramAnalyser } from '../programs/index.ts'
import { fingerprint } from '../report/fingerprint.ts'
import type { Finding, SessionReport, Severity } from '../report/schema.ts'
import { questionName } from '../rules/words.ts'
import { unreadable } from '../source/open.ts'
import { follow, type FollowOptions } from './follow.ts'
import { logFile, Scan, type LogFile } from './scan.ts'

export interface Alert {
  readonly session: string
  readonly source: string
  readonly cwd: string | null
  readonly finding: Finding
}

export interface WatchOptions {
  readonly signal: AbortSignal
  /** Whether a finding is worth an alert. */
  readonly wants: (finding: Finding) => boolean
  readonly onAlert: (alert: Alert) => void
  /** A log cannot be watched; told once. */
  readonly onTrouble?: (path: string, message: string) => void
  /** Also tell what was there before the watch began. Default false. */
  readonly all?: boolean
  readonly replay?: boolean
  /** A question without an answer for so long is left open. */
  readonly openAfterMs: number
  /** Between two looks at the files. */
  readonly pollMs?: number
}

/** A row is told within a second of its being written. */
const POLL_MS = 500
/** Looks for new files take at most a hundredth of the time. */
const SCAN_MS = 1500
const SCAN_SHARE = 100
/** A file that was not written to for so long is let go; it is taken up again when it grows. */
const PATIENCE_MS = 30 * 60_000

/** Watches the logs at or below `roots` until `signal`. A path that is not there yet, or is deleted and comes back, is no trouble. */
export async function watch(roots: readonly string[], options: WatchOptions): Promise<void> {
  const { signal } = options
  const liveSince = Date.now() - PATIENCE_MS
  const programs = createProgramAnalyser({ replay: options.replay ?? true })
  const scan = new Scan(roots)
  const shared: Shared = { options, programs, told: new Set(), troubles: new Set(), until: looks(options.pollMs ?? POLL_MS, signal) }
  const followed = new Map<string, Promise<void>>()
  /** Files that nobody follows, as they were last seen. */
  const quiet = new Map<string, LogFile>()
  /** Bytes of files that stood there before the watch began. */
  const old = new Map<string, number>()
  let isFirst = true

  async function watchOne(path: string): Promise<void> {
    // A new generation of a log begins with what stood in the one before.
    const before = old.has(path) ? [] : Array.from(old).filter(([other]) => dirname(other) === dirname(path) && quiet.has(other))
    for (const [other, size] of before) await new Watched(other, shared, size).recall()
    const end = await new Watched(path, shared, old.get(path) ?? 0).run()
    followed.delete(path)
    if (end === 'gone') old.delete(path)
    // What is gone or cannot be read is taken up as soon as it can be.
    const [now] = end === 'over' ? logFile(path) : []
    if (now) quiet.set(path, now)
    else quiet.delete(path)
  }

  try {
    while (!signal.aborted) {
      const start = performance.now()
      const files = scan.files((path) => !followed.has(path))
      for (const file of files) {
        const before = quiet.get(file.path)
        quiet.set(file.path, file)
        const isNew = file.modifiedMs > liveSince
        if (!before && (isFirst || !isNew) && options.all !== true) old.set(file.path, file.size)
        const isLive = before ? before.size !== file.size || before.modifiedMs !== file.modifiedMs : isNew
        if (!isLive) continue
        followed.set(file.path, watchOne(file.path))
      }
      isFirst = false
      await sleep(Math.max(SCAN_MS, SCAN_SHARE * (performance.now() - start)), undefined, { signal }).catch(() => undefined)
    }
    await Promise.all(followed.values())
  } finally {
    await programs.close()
  }
}

/** One timer for all files. */
function looks(everyMs: number, signal: AbortSignal): FollowOptions['until'] {
  const waiting = new Map<() => boolean, { readonly resolve: () => void, readonly reject: (error: unknown) => void }>()
  const look = (): void => {
    for (const [isDue, { resolve, reject }] of waiting) {
      try {
        if (!signal.aborted && !isDue()) continue
        resolve()
      } catch (error) {
        // The disk of a file may go away.
        reject(error)
      }
      waiting.delete(isDue)
    }
  }
  const timer = setInterval(look, everyMs)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    look()
  })
  return async (isDue) => new Promise((resolve, reject) => {
    if (signal.aborted) resolve()
    else waiting.set(isDue, { resolve, reject })
  })
}

interface Shared {
  readonly options: WatchOptions
  readonly programs: ProgramAnalyser
  /** Findings that were told, or were there before. */
  readonly told: Set<string>
  readonly troubles: Set<string>
  readonly until: FollowOptions['until']
}

/** One log, from its beginning to where it stops growing. */
class Watched {
  readonly #path: string
  readonly #shared: Shared
  readonly #oldBytes: number
  /** What stood in the log before is looked at and not told. */
  #silent: boolean
  #builder: SessionBuilder
  #id: string | null = null
  #cwd: string | null = null
  #changed = false
  #mayJudge = 0
  #questions: readonly QuestionCall[] = []

  constructor(path: string, shared: Shared, oldBytes: number) {
    this.#path = path
    this.#shared = shared
    this.#oldBytes = oldBytes
    this.#silent = oldBytes > 0
    this.#builder = new SessionBuilder(path)
  }

  /** Again from the beginning as often as the file is replaced. `over`: it grows no more, or is no log. */
  async run(): Promise<'over' | 'gone' | 'unreadable'> {
    try {
      while (await this.#readsAgain()) {
        this.#builder = new SessionBuilder(this.#path)
        this.#id = null
        this.#questions = []
      }
      return 'over'
    } catch (error) {
      if (error instanceof InputError) return 'over'
      const isSystems = error instanceof Error && 'syscall' in error
      const { code, message } = isSystems ? unreadable(error, this.#path) : inputErrorOf(error, this.#path)
      if (code === 'not-found') return 'gone'
      this.#trouble(message)
      return isSystems ? 'unreadable' : 'over'
    }
  }

  /** Takes what stands in the log for told, and does not follow it. */
  async recall(): Promise<void> {
    try {
      const session = await readSession(this.#path)
      this.#id = session.header.id
      this.#tellAll((await judge(session, this.#shared.programs, {})).report)
    } catch (error) {
      this.#trouble(inputErrorOf(error, this.#path).message)
    }
  }

  #trouble(message: string): void {
    const { options: { onTrouble }, troubles } = this.#shared
    const key = `${this.#path} ${message}`
    if (troubles.has(key)) return
    troubles.add(key)
    onTrouble?.(this.#path, message)
  }

  /** Whether the file was replaced while it was read. */
  async #readsAgain(): Promise<boolean> {
    const { options: { signal }, until } = this.#shared
    let isReplaced = false
    const bytes = follow(this.#path, { until, patienceMs: PATIENCE_MS, signal, pauseAt: this.#silent ? this.#oldBytes : 0, isDue: () => this.#isDue(), onIdle: async () => this.#look(), onReplaced: () => { isReplaced = true } })
    try {
      await decodeLog(bytes, this.#path, {
        header: (header) => {
          this.#id = header.id
          this.#cwd = header.cwd
          this.#builder.header(header)
        },
        event: (event) => {
          this.#changed ||= event.type !== 'stream'
          this.#builder.event(event)
        },
        issue: (issue) => this.#builder.issue(issue),
      }, true)
    } catch (error) {
      // Replaced before it had a first row.
      if (!isReplaced || !(error instanceof InputError)) throw error
    }
    return isReplaced
  }

  #isDue(): boolean {
    return (this.#changed && performance.now() >= this.#mayJudge) || this.#questions.some((question) => this.#isLeftOpen(question))
  }

  #isLeftOpen({ askedTime }: QuestionCall): boolean {
    return Date.now() - askedTime >= this.#shared.options.openAfterMs
  }

  async #look(): Promise<void> {
    if (this.#id !== null) await this.#judge()
    this.#silent = false
  }

  async #judge(): Promise<void> {
    if (this.#changed && performance.now() >= this.#mayJudge) {
      this.#changed = false
      const start = performance.now()
      const session = this.#builder.finish()
      this.#questions = session.questions.filter((q) => q.outcome.kind === 'open' && !q.inherited)
      const { report } = await judge(session, this.#shared.programs, {})
      this.#tellAll(report)
      // While a log grows fast, half of the time goes into judging it, whatever its length.
      this.#mayJudge = performance.now() + (performance.now() - start)
    }
    // Rows that are not judged yet may hold the answer.
    if (this.#silent || this.#changed) return
    for (const question of this.#questions) if (this.#isLeftOpen(question)) this.#tell(leftOpen(question, this.#shared.options.openAfterMs), 0)
    this.#questions = this.#questions.filter((question) => !this.#isLeftOpen(question))
  }

  /** There may be several at one place: a result without any of the answers. */
  #tellAll({ findings }: SessionReport): void {
    for (const alike of groupBy(findings, placeOf).values()) for (const [nth, finding] of alike.entries()) this.#tell(finding, nth)
  }

  /** A finding is told once, and again when it gets worse. */
  #tell(finding: Finding, nth: number): void {
    const { options: { wants, onAlert }, told } = this.#shared
    const key = `${this.#id} ${placeOf(finding)} ${nth}`
    if (!wants(finding) || told.has(key)) return
    told.add(key)
    if (!this.#silent) onAlert({ session: this.#id ?? '', source: this.#path, cwd: this.#cwd, finding })
  }
}

/** The next generation of a log numbers its rows anew, but not its turns and steps; a step may ask several questions. */
function placeOf({ rule, at, severity, args }: Finding): string {
  return JSON.stringify([rule, at.turn, at.step, severity, args['question']])
}

/** The rule judges a log by its own clock, which stands still while everyone waits. */
function leftOpen(question: QuestionCall, ms: number): Finding {
  const { questions, askedSeq, askedLine, call, round } = question
  const args = { question: questionName(question), questionIds: (questions ?? []).map((q) => q.id) }
  const severity: Severity = round ? 'error' : 'warning'
  return {
    id: '', rule: 'pending-question', severity, certainty: 'proven', text: `Waiting for an answer to ${args.question} for more than ${Math.round(ms / 1000)} s.`, args,
    at: { seq: askedSeq, line: askedLine, turn: call.turn, step: call.step }, toSeq: null, related: [], fix: null, fingerprint: fingerprint('pending-question', args, 0),
  }
}
