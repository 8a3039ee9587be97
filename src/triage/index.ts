/** Thousands of logs → which ones are sick, with what, and which share a cause. */
import { availableParallelism } from 'node:os'
import { setImmediate as otherEvents } from 'node:timers/promises'
import { failureOf } from '../report/failure.ts'
import type { Failure } from '../report/schema.ts'
import { resolveSources } from '../source/index.ts'
import type { LogSource } from '../source/log-source.ts'
import type { Cache } from './cache.ts'
import { isOutcome, type Outcome, type TriageRow } from './row.ts'
import { runThread } from './thread.ts'
import { take, type Job } from './work.ts'

export interface TriageOptions {
  readonly replay?: boolean
  readonly stdin?: AsyncIterable<Uint8Array>
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cache?: Cache | null
  /** Stops early; what is known by then is the result. */
  readonly signal?: AbortSignal
  /** Called with every row, in the order of the logs. */
  readonly onRow?: (row: TriageRow) => void
  readonly onProgress?: (done: number, total: number) => void
}

export interface Triage {
  /** Logs that were found. */
  readonly logs: number
  /** Of these, judged or given up. */
  readonly done: number
  /** In the order of the logs. */
  readonly rows: readonly TriageRow[]
  readonly failures: readonly Failure[]
  /** Taken from the cache. */
  readonly cached: number
  readonly stopped: boolean
}

/** Characters of log that are judged while another thread would start and warm up. */
const PER_THREAD = 16 * 2 ** 20
/** The main thread leaves longer logs to the others: it has to be there for Ctrl-C, and must not run out of memory. */
const SHORT = 2 ** 20
/** Of log text that the harness compresses, batch by batch. */
const ZSTD_RATIO = 8
/** Number of the main thread among those who take logs. */
const MAIN = 1

/** Judges every log below `paths`, on all cores. Throws UsageError only. */
export async function triage(paths: readonly string[], options: TriageOptions = {}): Promise<Triage> {
  const { replay = true, cache = null, signal = new AbortController().signal } = options
  const { logs, failures } = await resolveSources(paths, { ...options, notes: cache })
  const outcomes: (Outcome | undefined)[] = logs.map(() => undefined)
  const takenBy = new Int32Array(new SharedArrayBuffer(4 * logs.length))
  let told = 0
  let done = 0
  let cached = 0

  function settle(place: number, outcome: Outcome): void {
    outcomes[place] = outcome
    done += 1
    options.onProgress?.(done, logs.length)
    for (let next = outcomes[told]; next && !signal.aborted; next = outcomes[++told]) if (next.row) options.onRow?.(next.row)
  }

  function settleNew(place: number, outcome: Outcome): void {
    const log = logs[place]
    if (signal.aborted || !log) return
    settle(place, outcome)
    if (log.state && outcome.failures.length === 0) cache?.put(log.state, subjectOf(log, replay), outcome)
  }

  /** Judges what the other threads cannot or need not. */
  async function work(): Promise<void> {
    if (takenBy.every((taker) => taker !== 0)) return
    // All that judging takes; not needed for what comes from the cache.
    const { createJudge } = await import('./judge.ts')
    const { judge, close } = createJudge(replay)
    try {
      for (const [place, log] of logs.entries()) {
        if (signal.aborted) return
        if ((log.file !== null && lengthOf(log) > SHORT) || !take(takenBy, place, MAIN)) continue
        settleNew(place, await judge(log))
        await otherEvents()
      }
    } finally {
      await close()
    }
  }

  /** Whatever breaks a thread costs one log; another thread goes on. */
  async function workElsewhere(jobs: readonly Job[], self: number): Promise<void> {
    for (;;) {
      const broken = await runThread({ jobs, takenBy, replay, self }, signal, ({ place, outcome }) => settleNew(place, outcome))
      if (broken === null) return
      const job = jobs.find(({ place }) => takenBy[place] === self && !outcomes[place])
      if (!job) throw new Error(`A thread cannot be started: ${broken}`)
      settleNew(job.place, { row: null, failures: [{ source: job.log.name, code: 'crashed', text: broken, rule: null }] })
    }
  }

  for (const [place, log] of logs.entries()) {
    const known = log.state ? cache?.get(log.state, subjectOf(log, replay)) : undefined
    if (!isOutcome(known) || !take(takenBy, place, MAIN)) continue
    cached += 1
    settle(place, known)
  }
  const jobs = logs.flatMap(({ open: _open, ...log }, place) => (log.file === null || takenBy[place] !== 0 ? [] : [{ place, log, file: log.file }]))
  try {
    await Promise.all([work(), ...Array.from({ length: threadsFor(jobs) }, async (_, i) => workElsewhere(jobs, MAIN + 1 + i))])
  } finally {
    cache?.save()
  }
  // Stopped: those after one that is missing.
  for (const outcome of outcomes.slice(told)) if (outcome?.row) options.onRow?.(outcome.row)
  return {
    logs: logs.length,
    done,
    rows: outcomes.flatMap((o) => o?.row ?? []),
    failures: [...failures.map(failureOf), ...outcomes.flatMap((o) => o?.failures ?? [])],
    cached,
    stopped: signal.aborted,
  }
}

/** Besides the main thread: as many as there are cores, as far as there is work for them. */
function threadsFor(jobs: readonly Job[]): number {
  const total = jobs.reduce((sum, { log }) => sum + lengthOf(log), 0)
  const long = jobs.reduce((sum, { log }) => sum + (lengthOf(log) > SHORT ? lengthOf(log) : 0), 0)
  const cores = availableParallelism() - (long > total / 2 ? 0 : 1)
  return Math.max(Math.min(cores, Math.floor(total / PER_THREAD)), long > 0 ? 1 : 0)
}

/** About how many characters it has. */
function lengthOf({ file, size }: Omit<LogSource, 'open'>): number {
  return (size ?? 0) * (file?.endsWith('l') ? 1 : ZSTD_RATIO)
}

/** What the outcome depends on, besides the file itself. */
function subjectOf({ name, issues }: LogSource, replay: boolean): string {
  return JSON.stringify([name, issues, replay])
}
