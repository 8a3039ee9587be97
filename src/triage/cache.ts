/**
 * Results of earlier runs, one small file each. A log that has grown is read again as a whole: what a row means can change
 * with the rows after it. Files are written atomically and checked when read, so that several processes may share the
 * folder; it can be deleted at any time.
 */
import { hash } from 'node:crypto'
import { mkdir, readFile, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { tryJson } from '../model/canonical.ts'
import type { LogSource } from '../source/log-source.ts'
import { version } from '../version.ts'
import { outcomeSchema, type Outcome } from './row.ts'

export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] ?? homedir(), '.cache'), 'dsh-inquest', version)
}

export class Cache {
  readonly #folder: string
  readonly #write: (path: string, text: string) => void

  constructor(folder: string, write: (path: string, text: string) => void) {
    this.#folder = folder
    this.#write = write
  }

  /** Where the result for this log has its place: it changes with the file, the version of the tool, and what was asked. Null: the file is gone. */
  async place(log: LogSource, file: string, replay: boolean): Promise<string | null> {
    try {
      const { size, mtimeMs, ino } = await stat(file)
      const name = hash('sha1', JSON.stringify([await realpath(file), size, mtimeMs, ino, log.name, log.issues, replay]), 'hex')
      return join(this.#folder, name.slice(0, 2), `${name.slice(2)}.json`)
    } catch {
      return null
    }
  }

  async get(place: string): Promise<Outcome | null> {
    return outcomeSchema.safeParse(tryJson(await readFile(place, 'utf8').catch(() => ''))).data ?? null
  }

  /** A cache that cannot be written is none. */
  async put(place: string, outcome: Outcome): Promise<void> {
    try {
      await mkdir(join(place, '..'), { recursive: true })
      this.#write(place, JSON.stringify(outcome))
    } catch {
      // The result stands; only the next run has to find it again.
    }
  }
}
