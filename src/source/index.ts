/** From paths to sessions. Nothing is ever written, and below the harness home only session logs are opened. */
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { readHeads, type Issue, type Open } from '../decode/head.ts'
import { InputError, inputErrorOf } from '../errors.ts'
import { listFiles, type FoundFile } from './files.ts'
import type { LogSource } from './log-source.ts'
import { fileBytes, unreadable } from './open.ts'
import { select, type Found } from './select.ts'
import { isZip, zipLogs } from './zip.ts'

export type { LogSource } from './log-source.ts'

export interface SourceOptions {
  /** Read for the path `-`, or when no path is given. It is held in memory. */
  readonly stdin?: AsyncIterable<Uint8Array>
  /** `DSH_HOME` is looked up here when no path is given. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>
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
  const search = new Search(failures)
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
  return { logs: await select(found.flat()), failures }
}

class Search {
  readonly #failures: InputError[]
  /** Real paths: a file that is reached twice is one input. */
  readonly #seen = new Set<string>()

  constructor(failures: InputError[]) {
    this.#failures = failures
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
    if (await isZip(given)) return this.#zip(given)
    return sessionsIn(given, info.size, () => fileBytes(given, given), true, given)
  }

  async folder(given: string): Promise<Found[]> {
    const before = this.#failures.length
    const files = await listFiles(given, this.#failures)
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
    const files = await listFiles(root, this.#failures)
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
    return sessionsIn(name, size, () => replay(chunks), true)
  }

  async #file({ path: file, real, size }: FoundFile): Promise<Found[]> {
    if (this.#seen.has(real)) return []
    try {
      const found = await sessionsIn(file, size, () => fileBytes(file, file), false, file)
      this.#seen.add(real)
      return found
    } catch (error) {
      const failure = inputErrorOf(error, file)
      if (!OTHER_FILES.has(failure.code)) this.#failures.push(failure)
      return []
    }
  }

  async #zip(given: string): Promise<Found[]> {
    const found: Found[] = []
    const entries = await zipLogs(given)
    for (const { entry, size, open } of entries) {
      try {
        found.push(...(await sessionsIn(`${given}!${entry}`, size, open, false)))
      } catch (error) {
        this.#failures.push(inputErrorOf(error, `${given}!${entry}`))
      }
    }
    if (entries.length === 0) throw new InputError('no-logs', given, 'is a zip archive without a session log.')
    return found
  }
}

async function sessionsIn(name: string, size: number, open: Open, named: boolean, file: string | null = null): Promise<Found[]> {
  const heads = await readHeads(open, name)
  return heads.map(({ id, version, parent, captured, open: openHead }) => ({
    log: {
      name: captured && heads.length > 1 ? `${name}#${id}` : name,
      file: captured ? null : file,
      size: captured ? null : size,
      id, version, parent,
      issues: captured ? [captureNote(name)] : [],
      open: openHead,
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
