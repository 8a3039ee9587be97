/** The thread of the sealed interpreter: started on demand, and again after a kill. It does one run after the other. */
import { Worker } from 'node:worker_threads'
import type { ChangedReceipt, ReplayedProgram, Run, RunBatch, RunLimits } from './replay-protocol.ts'

export interface ReplayThread {
  /**
   * Runs the program once per receipt (null: as recorded), in their order. Fewer runs than receipts: together they did
   * more work than `polls`, or the last one was killed. Batches may be given before earlier ones are done.
   */
  run(program: ReplayedProgram, receipts: readonly (ChangedReceipt | null)[], polls: number): Promise<readonly Run[]>
  /** Ends the thread if it has nothing to do: it takes some 40 MB. The next run starts it again. */
  rest(): Promise<void>
  close(): Promise<void>
}

/** Work of all runs of one program together. */
export const MAX_POLLS = 2_000
const LIMITS: RunLimits = { polls: 300, outputChars: 1 << 20, calls: 500 }
/**
 * Work is limited by polls, the same on every machine. They do not happen inside built-ins: a run that keeps the processor
 * busy for this long is killed with its thread. On a loaded machine a run waits for the processor; that is no work.
 */
const KILL_AFTER_BUSY_MS = 4_000
const KILL_AFTER_MS = 60_000
const LOOK_EVERY_MS = 500

interface Waiting {
  readonly batch: RunBatch
  readonly runs: Run[]
  readonly resolve: (runs: readonly Run[]) => void
}

export function createReplayThread(): ReplayThread {
  let worker: Worker | null = null
  /** The first one is at work. */
  const waiting: Waiting[] = []
  let timer: NodeJS.Timeout | null = null
  /** Runs and batches that are over. */
  let done = 0

  const start = (): Worker => {
    // Tests run the sources: threads cannot, so theirs comes from the build.
    const file = import.meta.url.endsWith('.ts') ? '../../dist/programs/replay-worker.js' : './replay-worker.js'
    const started = new Worker(new URL(file, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 4 }, env: {}, stdout: true, stderr: true, execArgv: [] })
    const broken = (): void => {
      if (worker === started) giveUp('the sealed interpreter broke down')
    }
    started.on('message', (run: Run | 'done') => {
      if (worker !== started) return
      if (run === 'done') return next()
      done++
      waiting[0]?.runs.push(run)
    })
    started.on('error', broken)
    started.on('exit', broken)
    return started
  }

  /** The first batch is over. */
  const next = (): void => {
    done++
    const first = waiting.shift()
    first?.resolve(first.runs)
    if (waiting.length > 0) return
    // An idle thread does not keep the process alive.
    worker?.unref()
    if (timer) clearInterval(timer)
    timer = null
  }

  /** The run at work ends with its thread; those that wait get a new one. */
  const giveUp = (because: string): void => {
    void end()
    waiting[0]?.runs.push({ kind: 'void', because, endless: true, calls: [], polls: MAX_POLLS + 1 })
    next()
    for (const { batch } of waiting) post(batch)
  }

  const post = (batch: RunBatch): void => {
    worker ??= start()
    worker.ref()
    worker.postMessage(batch)
  }

  /** Watches the run that is at work, as long as there is one. */
  const watch = (): void => {
    if (timer) return
    let watched = done
    let before = process.cpuUsage()
    let looks = 0
    timer = setInterval(() => {
      if (watched !== done) {
        watched = done
        before = process.cpuUsage()
        looks = 0
        return
      }
      const { user, system } = process.cpuUsage(before)
      const elapsed = ++looks * LOOK_EVERY_MS
      // Other threads of this process count too, so both clocks must have run.
      if (Math.min(elapsed, (user + system) / 1_000) >= KILL_AFTER_BUSY_MS || elapsed >= KILL_AFTER_MS) giveUp('it works too long')
    }, LOOK_EVERY_MS)
  }

  const end = async (): Promise<void> => {
    const last = worker
    worker = null
    await last?.terminate()
  }

  return {
    run(program, receipts, polls) {
      return new Promise((resolve) => {
        const batch = { ...program, receipts, polls, limits: LIMITS }
        waiting.push({ batch, runs: [], resolve })
        post(batch)
        watch()
      })
    },
    async rest() {
      if (waiting.length === 0) await end()
    },
    async close() {
      const ended = end()
      while (waiting.length > 0) next()
      await ended
    },
  }
}
