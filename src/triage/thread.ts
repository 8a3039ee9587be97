import { Worker } from 'node:worker_threads'
import type { Judged, Work } from './work.ts'

/** Runs a thread until no log is left. Null: all went well, or it was stopped by `signal`; else what broke it. */
export async function runThread(work: Work, signal: AbortSignal, onJudged: (judged: Judged) => void): Promise<string | null> {
  // Tests run the sources: threads cannot, so theirs comes from the build.
  const file = import.meta.url.endsWith('.ts') ? '../../dist/triage/worker.js' : './worker.js'
  const worker = new Worker(new URL(file, import.meta.url), { execArgv: [], workerData: work })
  const stop = (): void => void worker.terminate()
  signal.addEventListener('abort', stop)
  try {
    return await new Promise((resolve) => {
      worker.on('message', onJudged)
      worker.once('error', (error) => resolve(error instanceof Error ? error.message : String(error)))
      worker.once('exit', (code) => resolve(code === 0 || signal.aborted ? null : 'its thread was stopped'))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
