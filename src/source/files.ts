import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import type { InputError } from '../errors.ts'
import { unreadable } from './open.ts'

const LOG_NAME = /\.jsonl(?:\.zstd|\.zst)?$/

export interface FoundFile {
  /** Below the folder as it was given. */
  readonly path: string
  /** Where it really is, whatever links lead to it. */
  readonly real: string
  readonly size: number
  readonly modifiedMs: number
}

/** Files named like logs below a folder, by name. Every folder is visited once; a link to nowhere is nothing. */
export async function listFiles(folder: string, failures: InputError[]): Promise<FoundFile[]> {
  const files: FoundFile[] = []
  const seen = new Set<string>()
  const pending = [folder]
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    try {
      const real = await realpath(current)
      if (seen.has(real)) continue
      seen.add(real)
      const info = await stat(current)
      if (info.isDirectory()) {
        const here = current
        const entries = await readdir(current, { withFileTypes: true })
        const names = entries.filter((entry) => !entry.isFile() || LOG_NAME.test(entry.name)).map((entry) => entry.name)
        for (const name of names.toSorted().toReversed()) pending.push(path.join(here, name))
      } else if (info.isFile() && LOG_NAME.test(current)) {
        files.push({ path: current, real, size: info.size, modifiedMs: info.mtimeMs })
      }
    } catch (error) {
      const failure = unreadable(error, current)
      if (failure.code !== 'not-found') failures.push(failure)
    }
  }
  return files
}
