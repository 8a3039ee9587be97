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
import { follow } from './follow.ts'
import { Scan, type LogFile } from './scan.ts'

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
  /** Also tell what was there before the watch began. Default false. */
  readonly all?: boolean
  readonly replay?: boolean
  /** A question without an answer for so long is left open. */
  readonly openAfterMs: number
  /** Between two looks at a file. */
  readonly pollMs?: number
}

const POLL_MS = 250
/** Looks for new files take at most a fiftieth of the time. */
const SCAN_MS = 1000
const SCAN_SHARE = 50
/** Judging a session takes at most a fifth of the time while its log grows. */
const JUDGE_SHARE = 5
/** A file that was not written to for so long is let go; it is taken up again when it grows. */
const PATIENCE_MS = 30 * 60_000

/** Watches the logs at or below `roots` until `signal`. A path that is not there yet, or is deleted and comes back, is no trouble. */
export async function watch(roots: readonly string[], options: WatchOptions): Promise<void> {
  const { signal } = options
  const programs = createProgramAnalyser({ replay: options.replay ?? true })
  const scan = new Scan(roots)
  const told = new Set<string>()
  const followed = new Map<string, Promise<void>>()
  const replaced = new Set<string>()
  let known: Map<string, LogFile> | null = null
  try {
    while (!signal.aborted) {
      const start = performance.now()
      const files = scan.files()
      for (const file of files) {
        const before = known?.get(file.path)
        const isLive = known === null ? Date.now() - file.modifiedMs < PATIENCE_MS : before?.size !== file.size || before.modifiedMs !== file.modifiedMs
        if (followed.has(file.path) || !(replaced.delete(file.path) || isLive)) continue
        const watched = new Watched(file.path, told, programs, options, known === null && options.all !== true, () => replaced.add(file.path))
        followed.set(file.path, watched.run().finally(() => followed.delete(file.path)))
      }
      known = new Map(files.map((file) => [file.path, file]))
      await sleep(Math.max(SCAN_MS, SCAN_SHARE * (performance.now() - start)), undefined, { signal }).catch(() => undefined)
    }
    await Promise.all(followed.values())
  } finally {
    await programs.close()
  }
}

/** One log, from its beginning to where it stops growing. */
class Watched {
  readonly #path: string
  readonly #told: Set<string>
  readonly #programs: ProgramAnalyser
  readonly #options: WatchOptions
  /** What stands in the log already is known and not told. */
  #silent: boolean
  readonly #onReplaced: () => void
  readonly #builder: SessionBuilder
  #id: string | null = null
  #cwd: string | null = null
  #changed = false
  #mayJudge = 0
  #questions: readonly QuestionCall[] = []

  constructor(path: string, told: Set<string>, programs: ProgramAnalyser, options: WatchOptions, silent: boolean, onReplaced: () => void) {
    this.#path = path
    this.#told = told
    this.#programs = programs
    this.#options = options
    this.#silent = silent
    this.#onReplaced = onReplaced
    this.#builder = new SessionBuilder(path)
  }

  async run(): Promise<void> {
    const { signal, pollMs = POLL_MS } = this.#options
    const bytes = follow(this.#path, { pollMs, patienceMs: PATIENCE_MS, signal, onIdle: async () => this.#look(), onReplaced: this.#onReplaced })
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
      })
    } catch (error) {
      // Another tool's log, or one that is gone again: nothing to watch.
      if (!(error instanceof InputError) && !(error instanceof Error && 'code' in error)) throw error
    }
  }

  async #look(): Promise<void> {
    if (this.#id === null) return
    if (this.#changed && performance.now() >= this.#mayJudge) {
      this.#changed = false
      const start = performance.now()
      const session = this.#builder.finish()
      this.#questions = session.questions.filter((q) => q.outcome.kind === 'open' && !q.inherited)
      const { report } = await judge(session, this.#programs, {})
      for (const finding of report.findings) this.#tell(finding)
      this.#silent = false
      this.#mayJudge = performance.now() + JUDGE_SHARE * (performance.now() - start)
    }
    for (const question of this.#questions) {
      if (Date.now() - question.askedTime >= this.#options.openAfterMs) this.#tell(leftOpen(question, this.#options.openAfterMs))
    }
  }

  /** A finding is told once, and again when it gets worse. */
  #tell(finding: Finding): void {
    const key = `${this.#id} ${finding.rule} ${finding.at.seq} ${finding.severity}`
    if (!this.#options.wants(finding) || this.#told.has(key)) return
    this.#told.add(key)
    if (!this.#silent) this.#options.onAlert({ session: this.#id ?? '', source: this.#path, cwd: this.#cwd, finding })
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
