/** Thousands of logs → which ones are sick, with what, and which share a cause. */
import { availableParallelism } from 'node:os'
import { failureOf } from '../diagnose.ts'
import { createProgramAnalyser } from '../programs/index.ts'
import type { Failure } from '../report/schema.ts'
import { resolveSources } from '../source/index.ts'
import type { LogSource } from '../source/log-source.ts'
import type { Cache } from './cache.ts'
import type { Outcome, TriageRow } from './row.ts'
import { Thread } from './thread.ts'
import { judgeOne } from './worker.ts'

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
  /** In the order of the logs. */
  readonly rows: readonly TriageRow[]
  readonly failures: readonly Failure[]
  /** Taken from the cache. */
  readonly cached: number
  readonly stopped: boolean
}

/** Fewer are judged sooner than another thread has started. */
const LOGS_PER_THREAD = 4

/** Judges every log below `paths`, on all cores. Throws UsageError only. */
export async function triage(paths: readonly string[], options: TriageOptions = {}): Promise<Triage> {
  const { replay = true, cache = null, signal } = options
  const { logs, failures } = await resolveSources(paths, options)
  const threads = Array.from({ length: Math.min(availableParallelism(), Math.ceil(logs.length / LOGS_PER_THREAD)) }, () => new Thread())
  const close = async (): Promise<unknown> => Promise.all(threads.map(async (thread) => thread.close()))
  const programs = createProgramAnalyser({ replay })
  const outcomes: (Outcome | undefined)[] = logs.map(() => undefined)
  let next = 0
  let told = 0
  let done = 0
  let cached = 0

  async function judge(log: LogSource, thread: Thread): Promise<Outcome> {
    const { open: _open, ...plain } = log
    const { file } = plain
    if (file === null) return judgeOne(log, programs)
    const place = await cache?.place(log, file, replay) ?? null
    const known = place === null ? null : await cache?.get(place)
    if (known) {
      cached += 1
      return known
    }
    const outcome = await thread.run({ log: plain, file, replay })
    if (place !== null && outcome.failures.length === 0) await cache?.put(place, outcome)
    return outcome
  }

  /** Takes the next log when it is done with one: never more logs at a time than threads. */
  async function work(thread: Thread): Promise<void> {
    for (let place = next++; place < logs.length; place = next++) {
      const log = logs[place]
      const outcome = log && !signal?.aborted ? await judge(log, thread) : undefined
      if (!outcome || signal?.aborted) return
      outcomes[place] = outcome
      options.onProgress?.(++done, logs.length)
      for (let first = outcomes[told]; first; first = outcomes[++told]) if (first.row) options.onRow?.(first.row)
    }
  }

  const stop = (): void => void close()
  signal?.addEventListener('abort', stop)
  try {
    await Promise.all(threads.map(work))
  } finally {
    signal?.removeEventListener('abort', stop)
    await Promise.all([close(), programs.close()])
  }
  return {
    logs: logs.length,
    rows: outcomes.flatMap((o) => o?.row ?? []),
    failures: [...failures.map(failureOf), ...outcomes.flatMap((o) => o?.failures ?? [])],
    cached,
    stopped: signal?.aborted ?? false,
  }
}
