/** Follows live sessions and tells findings when they come up. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeLog } from '../decode/decode.ts'
import { judge } from '../diagnose.ts'
import { InputError } from '../errors.ts'
import { SessionBuilder } from '../model/build.ts'
import type { QuestionCall } from '../model/session.ts'
import { createProgramAnalyser, type ProgramAnalyser } from '../programs/index.ts'
import { fingerprint } from '../report/fingerprint.ts'
import type { Finding, Severity } from '../report/schema.ts'
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
  /** A log cannot be watched, and no log could be the reason. */
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
  const programs = createProgramAnalyser({ replay: options.replay ?? true })
  const scan = new Scan(roots)
  const shared: Shared = { options, programs, told: new Set(), until: looks(options.pollMs ?? POLL_MS, signal) }
  const followed = new Map<string, Promise<void>>()
  /** Files that nobody follows, as they were last seen. */
  const quiet = new Map<string, LogFile>()
  let isFirst = true
  try {
    while (!signal.aborted) {
      const start = performance.now()
      const files = scan.files((path) => !followed.has(path))
      for (const file of files) {
        const before = quiet.get(file.path)
        quiet.set(file.path, file)
        const isLive = isFirst ? Date.now() - file.modifiedMs < PATIENCE_MS : before?.size !== file.size || before.modifiedMs !== file.modifiedMs
        if (!isLive) continue
        const watched = new Watched(file.path, shared, isFirst && options.all !== true)
        followed.set(file.path, watched.run().finally(() => {
          followed.delete(file.path)
          const [now] = logFile(file.path)
          if (now) quiet.set(file.path, now)
          else quiet.delete(file.path)
        }))
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
  const waiting = new Map<() => boolean, () => void>()
  const look = (): void => {
    for (const [isDue, resolve] of waiting) {
      if (!signal.aborted && !isDue()) continue
      waiting.delete(isDue)
      resolve()
    }
  }
  const timer = setInterval(look, everyMs)
  signal.addEventListener('abort', () => {
    clearInterval(timer)
    look()
  })
  return async (isDue) => new Promise((resolve) => {
    if (signal.aborted) resolve()
    else waiting.set(isDue, resolve)
  })
}

interface Shared {
  readonly options: WatchOptions
  readonly programs: ProgramAnalyser
  /** Findings that were told, or were there before. */
  readonly told: Set<string>
  readonly until: FollowOptions['until']
}

/** One log, from its beginning to where it stops growing. */
class Watched {
  readonly #path: string
  readonly #shared: Shared
  /** What stands in the log already is known and not told. */
  #silent: boolean
  #builder: SessionBuilder
  #id: string | null = null
  #cwd: string | null = null
  #changed = false
  #mayJudge = 0
  #questions: readonly QuestionCall[] = []

  constructor(path: string, shared: Shared, silent: boolean) {
    this.#path = path
    this.#shared = shared
    this.#silent = silent
    this.#builder = new SessionBuilder(path)
  }

  /** Again from the beginning as often as the file is replaced. */
  async run(): Promise<void> {
    try {
      while (await this.#readsAgain()) {
        this.#builder = new SessionBuilder(this.#path)
        this.#id = null
        this.#questions = []
      }
    } catch (error) {
      // Another tool's log, or one that is gone again: nothing to watch.
      if (error instanceof InputError || (error instanceof Error && 'code' in error)) return
      this.#shared.options.onTrouble?.(this.#path, error instanceof Error ? error.message : String(error))
    }
  }

  /** Whether the file was replaced while it was read. */
  async #readsAgain(): Promise<boolean> {
    const { options: { signal }, until } = this.#shared
    let isReplaced = false
    const bytes = follow(this.#path, { until, patienceMs: PATIENCE_MS, signal, isDue: () => this.#isDue(), onIdle: async () => this.#look(), onReplaced: () => { isReplaced = true } })
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
    if (this.#id === null) return
    if (this.#changed && performance.now() >= this.#mayJudge) {
      this.#changed = false
      const start = performance.now()
      const session = this.#builder.finish()
      this.#questions = session.questions.filter((q) => q.outcome.kind === 'open' && !q.inherited)
      const { report } = await judge(session, this.#shared.programs, {})
      for (const finding of report.findings) this.#tell(finding)
      this.#silent = false
      // While a log grows fast, half of the time goes into judging it, whatever its length.
      this.#mayJudge = performance.now() + (performance.now() - start)
    }
    for (const question of this.#questions) if (this.#isLeftOpen(question)) this.#tell(leftOpen(question, this.#shared.options.openAfterMs))
    this.#questions = this.#questions.filter((question) => !this.#isLeftOpen(question))
  }

  /** A finding is told once, and again when it gets worse. */
  #tell(finding: Finding): void {
    const { options: { wants, onAlert }, told } = this.#shared
    const key = `${this.#id} ${finding.rule} ${finding.at.seq} ${finding.severity}`
    if (!wants(finding) || told.has(key)) return
    told.add(key)
    if (!this.#silent) onAlert({ session: this.#id ?? '', source: this.#path, cwd: this.#cwd, finding })
  }
}

/** The rule judges a log by its own clock, which stands still while everyone waits. */
function leftOpen({ questions, askedSeq, askedLine, call, round }: QuestionCall, ms: number): Finding {
  const args = { questionIds: (questions ?? []).map((q) => q.id) }
  const severity: Severity = round ? 'error' : 'warning'
  return {
    id: '', rule: 'pending-question', severity, certainty: 'proven', text: `A question has been waiting for its answer for more than ${Math.round(ms / 1000)} s.`, args,
    at: { seq: askedSeq, line: askedLine, turn: call.turn, step: call.step }, toSeq: null, related: [], fix: null, fingerprint: fingerprint('pending-question', args, 0),
  }
}
