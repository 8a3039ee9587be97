import { Worker } from 'node:worker_threads'
import type { Outcome } from './row.ts'
import type { Job } from './worker.ts'

/** One thread for one job at a time, started on demand and again after a job that broke it (out of memory). */
export class Thread {
  #worker: Worker | null = null

  async run(job: Job): Promise<Outcome> {
    const worker = (this.#worker ??= start())
    return new Promise((resolve) => {
      const done = (outcome: Outcome): void => {
        worker.off('message', done).off('error', broken).off('exit', broken)
        resolve(outcome)
      }
      const broken = (error: unknown): void => {
        this.#worker = null
        done({ row: null, failures: [{ source: job.log.name, code: 'crashed', text: error instanceof Error ? error.message : 'its thread was stopped', rule: null }] })
      }
      worker.on('message', done).on('error', broken).on('exit', broken)
      worker.postMessage(job)
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }
}

function start(): Worker {
  // Tests run the sources: threads cannot, so theirs comes from the build.
  const file = import.meta.url.endsWith('.ts') ? '../../dist/triage/worker.js' : './worker.js'
  return new Worker(new URL(file, import.meta.url), { execArgv: [] })
}
