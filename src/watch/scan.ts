import { readdirSync, statSync, type Stats } from 'node:fs'
import { join } from 'node:path'

const LOG_NAME = /\.jsonl(?:\.zstd|\.zst)?$/

export interface LogFile {
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
}

interface Folder {
  readonly modifiedMs: number
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** Log files below some paths. A folder is listed again only when it has changed, so that a look costs one call per entry. */
export class Scan {
  readonly #roots: readonly string[]
  readonly #known = new Map<string, Folder>()

  constructor(roots: readonly string[]) {
    this.#roots = roots
  }

  /** Those that are wanted. */
  files(wanted: (path: string) => boolean): LogFile[] {
    const found: LogFile[] = []
    const pending = [...this.#roots]
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const info = infoOf(path)
      if (info?.isDirectory()) {
        const { folders, files } = this.#list(path, info.mtimeMs)
        pending.push(...folders)
        for (const file of files) if (wanted(file)) found.push(...logFile(file))
      } else if (info?.isFile()) found.push(...(wanted(path) ? logFile(path) : []))
      else this.#known.delete(path)
    }
    return found
  }

  #list(path: string, modifiedMs: number): Folder {
    const known = this.#known.get(path)
    if (known?.modifiedMs === modifiedMs) return known
    try {
      const entries = readdirSync(path, { withFileTypes: true })
      const folder = {
        modifiedMs,
        folders: entries.filter((e) => e.isDirectory()).map((e) => join(path, e.name)),
        files: entries.filter((e) => e.isFile() && LOG_NAME.test(e.name)).map((e) => join(path, e.name)),
      }
      // Within the clock's grain the folder may change once more without looking changed.
      if (Date.now() - modifiedMs > GRAIN_MS) this.#known.set(path, folder)
      return folder
    } catch {
      return { modifiedMs, folders: [], files: [] }
    }
  }
}

const GRAIN_MS = 2000

/** In a list of one, or none when it is gone. */
export function logFile(path: string): LogFile[] {
  const info = infoOf(path)
  return info?.isFile() ? [{ path, size: info.size, modifiedMs: info.mtimeMs }] : []
}

/** What may not be looked at is not there. */
export function infoOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
