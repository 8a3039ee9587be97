import { Worker } from 'node:worker_threads'
import type { Outcome } from './row.ts'
import type { Job } from './worker.ts'

/** One thread for one job at a time, started on demand and again after a job that broke it (out of memory). */
export class Thread {
  #worker: Worker | null = null

  async run(job: Job): Promise<Outcome> {
    const worker = (this.#worker ??= start())
    try {
      return await new Promise((resolve) => {
        const broken = (error: unknown): void => {
          this.#worker = null
          resolve({ row: null, failures: [{ source: job.log.name, code: 'crashed', text: error instanceof Error ? error.message : 'its thread was stopped', rule: null }] })
        }
        worker.once('message', resolve).once('error', broken).once('exit', broken)
        worker.postMessage(job)
      })
    } finally {
      worker.removeAllListeners()
    }
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
