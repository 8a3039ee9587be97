import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs'
import path from 'node:path'
import type { InputError } from '../errors.ts'
import { unreadable } from './open.ts'

const LOG_NAME = /\.jsonl(?:\.zstd|\.zst)?$/

/** One state of one file. */
export interface FileState {
  /** Where it really is, whatever links lead to it. */
  readonly real: string
  /** Another one after every change. */
  readonly stamp: string
}

export interface FoundFile extends FileState {
  /** Below the folder as it was given. */
  readonly path: string
  readonly size: number
  readonly modifiedMs: number
}

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`
}

interface Place {
  readonly path: string
  /** Null: a link may lead elsewhere. */
  readonly real: string | null
}

/**
 * Files named like logs below a folder, by name. Every folder is visited once; a link to nowhere is nothing.
 * Calls block: there may be a hundred thousand of them, each a tenth as long as a detour through the thread pool.
 */
export function listFiles(folder: string, failures: InputError[]): FoundFile[] {
  const files: FoundFile[] = []
  const seen = new Set<string>()
  const pending: Place[] = [{ path: folder, real: null }]
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    try {
      const here = place.path
      const real = place.real ?? realpathSync.native(here)
      if (seen.has(real)) continue
      seen.add(real)
      const info = statSync(here)
      if (info.isDirectory()) {
        const entries = readdirSync(here, { withFileTypes: true }).filter((entry) => !entry.isFile() || LOG_NAME.test(entry.name))
        for (const entry of entries.toSorted((a, b) => (a.name < b.name ? 1 : -1))) {
          pending.push({ path: path.join(here, entry.name), real: entry.isFile() || entry.isDirectory() ? path.join(real, entry.name) : null })
        }
      } else if (info.isFile() && LOG_NAME.test(here)) {
        files.push({ path: here, real, size: info.size, modifiedMs: info.mtimeMs, stamp: stampOf(info) })
      }
    } catch (error) {
      const failure = unreadable(error, place.path)
      if (failure.code !== 'not-found') failures.push(failure)
    }
  }
  return files
}
