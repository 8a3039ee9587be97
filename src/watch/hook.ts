/** The user's program, run for one finding after the other. */
import { spawn, type ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { count } from '../reporters/format.ts'

export interface HookOptions {
  readonly cwd: string
  /** One that runs for longer is ended. */
  readonly timeoutMs: number
  /** The program could not be started, failed, or was ended. */
  readonly onTrouble: (message: string) => void
}

export class Hook {
  readonly #command: string
  readonly #args: readonly string[]
  readonly #options: HookOptions
  readonly #stop = new AbortController()
  #queue: Promise<void> = Promise.resolve()
  /** Findings whose turn has not come. */
  #waiting = 0

  /** No shell ever sees the words. */
  constructor([command, ...args]: readonly [string, ...string[]], options: HookOptions) {
    this.#command = command
    this.#args = args
    this.#options = options
  }

  /** `input` goes to its standard input, when its turn comes. */
  run(input: string): void {
    this.#waiting += 1
    this.#queue = this.#runAfter(this.#queue, input)
  }

  /** Waits for what is waiting or running, but not for longer than `graceMs`. */
  async close(graceMs: number): Promise<void> {
    await Promise.race([this.#queue, sleep(graceMs, undefined, { ref: false })])
    if (this.#waiting > 0) this.#options.onTrouble(`did not run for the last ${count(this.#waiting, 'finding')}: the watch ended`)
    this.#stop.abort()
    await this.#queue
  }

  async #runAfter(earlier: Promise<void>, input: string): Promise<void> {
    await earlier
    if (this.#stop.signal.aborted) return
    this.#waiting -= 1
    // Of some words the system says at once that they are no program.
    const trouble = await this.#spawn(input).catch((error: Error) => error.message)
    if (trouble !== null) this.#options.onTrouble(trouble)
  }

  /** What went wrong, or null. */
  async #spawn(input: string): Promise<string | null> {
    const { cwd, timeoutMs } = this.#options
    const { signal } = this.#stop
    return new Promise((resolve) => {
      const child: ChildProcess = spawn(this.#command, this.#args, { stdio: ['pipe', 'ignore', 'inherit'], cwd, shell: false })
      const end = (why: string) => (): void => {
        child.kill('SIGKILL')
        resolve(why)
      }
      const tooLong = setTimeout(end(`${this.#command} was ended after ${timeoutMs / 1000} s`), timeoutMs)
      const stopped = end(`${this.#command} was ended with the watch`)
      signal.addEventListener('abort', stopped)
      const settled = (trouble: string | null): void => {
        clearTimeout(tooLong)
        signal.removeEventListener('abort', stopped)
        resolve(trouble)
      }
      child.once('error', (error) => settled(error.message))
      child.once('exit', (code, killer) => settled(code === 0 ? null : `${this.#command} ended with ${code === null ? String(killer) : `exit code ${code}`}`))
      // A program that does not read its input closes the pipe; without a file to spare there is none.
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }
}
