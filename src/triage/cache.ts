/**
 * What earlier runs found out about files, a few hundred small files of JSON in the user's cache folder. Notes belong to one
 * state of a file and to one build of this tool, and go away with them. A log that has grown is read again as a whole:
 * what a row means can change with the rows after it. Cache files are replaced whole and checked when read, so that
 * several processes may share them: what one of them overwrites is found out again. They can be deleted at any time.
 */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRecord, tryJson } from '../model/canonical.ts'
import type { FileState } from '../source/files.ts'
import type { Notes } from '../source/notes.ts'
import { version } from '../version.ts'

/** Layout of the files. */
const LAYOUT = 1
/** Also while the tool is developed: a build is written in one go. */
const BUILD = `${version} ${statSync(new URL(import.meta.url)).mtimeMs}`
/** Files, so that a change rewrites little. */
const SHARDS = 256
/** For one file: the same log may be named in several ways, but not without end. */
const MAX_NOTES = 8
/** While work goes on, notes are written at most this often, and in at most a twentieth of the time. */
const SAVE_MS = 5000
const SAVE_SHARE = 20

interface Entry {
  readonly stamp: string
  readonly notes: Readonly<Record<string, unknown>>
}

/** By real path. */
type Shard = Map<string, Entry>

export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] ?? homedir(), '.cache'), 'dsh-inquest', `v${LAYOUT}`)
}

export class Cache implements Notes {
  readonly #folder: string
  readonly #write: (path: string, text: string) => void
  /** By path; as they were when first needed, with what came since. */
  readonly #shards = new Map<string, Shard>()
  /** What came since, and is not written yet. */
  readonly #unsaved = new Map<string, Shard>()
  #maySave = performance.now() + SAVE_MS

  constructor(folder: string, write: (path: string, text: string) => void) {
    this.#folder = folder
    this.#write = write
  }

  get({ real, stamp }: FileState, subject: string): unknown {
    const entry = this.#shard(this.#pathOf(real)).get(real)
    return entry?.stamp === stampOf(stamp) ? entry.notes[subject] : undefined
  }

  put({ real, stamp }: FileState, subject: string, value: unknown): void {
    const path = this.#pathOf(real)
    const shard = this.#shard(path)
    const known = shard.get(real)
    const { [subject]: _old, ...others } = known?.stamp === stampOf(stamp) ? known.notes : {}
    const entry = { stamp: stampOf(stamp), notes: Object.fromEntries([...Object.entries(others), [subject, value]].slice(-MAX_NOTES)) }
    shard.set(real, entry)
    const unsaved = this.#unsaved.get(path)
    if (unsaved) unsaved.set(real, entry)
    else this.#unsaved.set(path, new Map([[real, entry]]))
    if (performance.now() >= this.#maySave) this.save()
  }

  /** Adds to what is there by now, and leaves out files that are gone. A cache that cannot be written is none. */
  save(): void {
    const start = performance.now()
    try {
      makeFolder(this.#folder)
      for (const [path, unsaved] of this.#unsaved) {
        const entries = [...new Map([...read(path), ...unsaved])].filter(([real]) => existsSync(real))
        this.#write(path, JSON.stringify(Object.fromEntries(entries)))
      }
    } catch {
      // The results stand; the next run has to find them again.
    }
    this.#unsaved.clear()
    this.#maySave = performance.now() + Math.max(SAVE_MS, SAVE_SHARE * (performance.now() - start))
  }

  #pathOf(real: string): string {
    let sum = 0
    for (let i = 0; i < real.length; i += 1) sum = (Math.imul(sum, 31) + real.charCodeAt(i)) >>> 0
    return `${this.#folder}/${sum % SHARDS}.json`
  }

  #shard(path: string): Shard {
    const known = this.#shards.get(path)
    if (known) return known
    const shard = read(path)
    this.#shards.set(path, shard)
    return shard
  }
}

/** Node's own recursive way never ends where the system denies that a folder is there, as below `/proc`. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
}

function read(path: string): Shard {
  const shard: Shard = new Map()
  try {
    for (const [real, entry] of Object.entries(tryJson(readFileSync(path, 'utf8')) ?? {})) {
      if (isRecord(entry) && typeof entry['stamp'] === 'string' && isRecord(entry['notes'])) shard.set(real, { stamp: entry['stamp'], notes: entry['notes'] })
    }
  } catch {
    // There is none yet.
  }
  return shard
}

function stampOf(stamp: string): string {
  return `${stamp} ${BUILD}`
}
