/** From paths to sessions. Nothing is ever written, and below the harness home only session logs are opened. */
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { readHeads, type Head, type Issue, type Open } from '../decode/head.ts'
import { InputError, inputErrorOf } from '../errors.ts'
import { listFiles, stampOf, type FileState, type FoundFile } from './files.ts'
import type { LogSource } from './log-source.ts'
import { headIn, noteHead, type Notes } from './notes.ts'
import { fileBytes, unreadable } from './open.ts'
import { select, type Found } from './select.ts'
import { isZip, zipLogs } from './zip.ts'

export type { LogSource } from './log-source.ts'
export type { Notes } from './notes.ts'

export interface SourceOptions {
  /** Read for the path `-`, or when no path is given. It is held in memory. */
  readonly stdin?: AsyncIterable<Uint8Array>
  /** `DSH_HOME` is looked up here when no path is given. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** What earlier runs found out: a file that is noted is not opened. */
  readonly notes?: Notes | null
}

export interface ResolvedSources {
  /** In the order of the paths, by name within a folder; but parents before their children. */
  readonly logs: readonly LogSource[]
  readonly failures: readonly InputError[]
}

/** Why a file in a folder may be passed over in silence: it is none of ours. */
const OTHER_FILES = new Set(['not-a-log', 'foreign-log', 'foreign-encoding', 'empty', 'no-events'])

const MAX_HELD = 1024 ** 3

/**
 * Finds the sessions below `paths`: log files, export zips, captures of live events, folders (searched through), `-` for
 * standard input. Without paths: standard input when there is one, else the newest session under the harness home.
 */
export async function resolveSources(paths: readonly string[], options: SourceOptions = {}): Promise<ResolvedSources> {
  const failures: InputError[] = []
  const found: Found[][] = []
  const search = new Search(failures, options.notes ?? null)
  const inputs = paths.length > 0 ? paths : [options.stdin ? '-' : null]
  for (const input of inputs) {
    try {
      if (input === null) found.push(await search.newest(options.env ?? process.env))
      else if (input === '-') found.push(await search.stream(options.stdin, '-'))
      else found.push(await search.path(input))
    } catch (error) {
      failures.push(inputErrorOf(error, input ?? ''))
    }
  }
  return { logs: await select(found.flat(), options.notes ?? null), failures }
}

class Search {
  readonly #failures: InputError[]
  readonly #notes: Notes | null
  /** Real paths: a file that is reached twice is one input. */
  readonly #seen = new Set<string>()

  constructor(failures: InputError[], notes: Notes | null) {
    this.#failures = failures
    this.#notes = notes
  }

  async path(given: string): Promise<Found[]> {
    const { info, real } = await stat(given).then(
      async (found) => ({ info: found, real: await realpath(given) }),
      (error: unknown) => {
        throw unreadable(error, given)
      },
    )
    if (info.isDirectory()) return this.folder(given)
    if (!info.isFile()) return this.stream(fileBytes(given, given), given)
    if (this.#seen.has(real)) return []
    this.#seen.add(real)
    const file = { path: given, real, size: info.size, stamp: stampOf(info) }
    if (headIn(this.#notes, file) === null && (await isZip(given))) return this.#zip(given)
    return this.#log(file, true)
  }

  async folder(given: string): Promise<Found[]> {
    const before = this.#failures.length
    const files = listFiles(given, this.#failures)
    const found: Found[] = []
    for (const file of files) for (const session of await this.#file(file)) found.push(session)
    if (found.length === 0 && this.#failures.length === before && !files.some((file) => this.#seen.has(file.real))) {
      throw new InputError('no-logs', given, `holds no dsh session log${files.length > 0 ? ` (${files.length} .jsonl files are none)` : ''}. Give a log, a session folder, or a sessions root.`)
    }
    return found
  }

  /** The session whose file was written last. */
  async newest(env: Readonly<Record<string, string | undefined>>): Promise<Found[]> {
    const root = path.join(harnessHome(env), 'sessions')
    const files = listFiles(root, this.#failures)
    for (const file of files.toSorted((a, b) => b.modifiedMs - a.modifiedMs)) {
      // Its folder, since older generations of the session lie beside it.
      const found = await this.folder(path.dirname(file.path)).catch(() => [])
      if (found.length > 0) return found
    }
    throw new InputError('no-logs', root, 'holds no dsh session log. Give the path of one, or set DSH_HOME.')
  }

  /** What can be read only once. */
  async stream(bytes: AsyncIterable<Uint8Array> | undefined, name: string): Promise<Found[]> {
    if (!bytes) throw new InputError('no-stdin', name, 'is standard input, but there is none.')
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of bytes) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > MAX_HELD) throw new InputError('too-big', name, 'has more than 1 GiB; give it as a file.')
    }
    return sessionsIn(name, size, await readHeads(() => replay(chunks), name), true)
  }

  async #file(file: FoundFile): Promise<Found[]> {
    if (this.#seen.has(file.real)) return []
    try {
      const found = await this.#log(file, false)
      this.#seen.add(file.real)
      return found
    } catch (error) {
      const failure = inputErrorOf(error, file.path)
      if (!OTHER_FILES.has(failure.code)) this.#failures.push(failure)
      return []
    }
  }

  async #log(file: FileState & Pick<FoundFile, 'path' | 'size'>, named: boolean): Promise<Found[]> {
    const open: Open = () => fileBytes(file.path, file.path)
    const known = headIn(this.#notes, file)
    if (known) return sessionsIn(file.path, file.size, [{ ...known, captured: false, open }], named, file)
    const heads = await readHeads(open, file.path)
    const [head] = heads
    if (head && !head.captured) noteHead(this.#notes, file, head)
    return sessionsIn(file.path, file.size, heads, named, file)
  }

  async #zip(given: string): Promise<Found[]> {
    const found: Found[] = []
    const entries = await zipLogs(given)
    for (const { entry, size, open } of entries) {
      try {
        const name = `${given}!${entry}`
        found.push(...sessionsIn(name, size, await readHeads(open, name), false))
      } catch (error) {
        this.#failures.push(inputErrorOf(error, `${given}!${entry}`))
      }
    }
    if (entries.length === 0) throw new InputError('no-logs', given, 'is a zip archive without a session log.')
    return found
  }
}

function sessionsIn(name: string, size: number, heads: readonly Head[], named: boolean, file: (FileState & { readonly path: string }) | null = null): Found[] {
  return heads.map(({ id, version, parent, captured, open }) => ({
    log: {
      name: captured && heads.length > 1 ? `${name}#${id}` : name,
      file: captured || !file ? null : file.path,
      state: captured || !file ? null : { real: file.real, stamp: file.stamp },
      size: captured ? null : size,
      id, version, parent,
      issues: captured ? [captureNote(name)] : [],
      open,
    },
    named,
  }))
}

function captureNote(file: string): Issue {
  const text = 'This is a capture of live events, not a log: line numbers count the events of the session, and events from before the capture are missing.'
  return { code: 'live-capture', file, line: null, offset: null, seq: null, text, harness: 'accept' }
}

/** `DSH_HOME` unless blank, with a leading `~` expanded; else `~/.dsh`. */
export function harnessHome(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'] ?? homedir()
  const set = env['DSH_HOME']?.trim() ?? ''
  if (set === '') return path.join(home, '.dsh')
  return set === '~' || set.startsWith('~/') ? path.join(home, set.slice(1)) : set
}

async function* replay(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
