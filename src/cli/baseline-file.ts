import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { baselineSchema, sourceName, type Baseline } from '../report/baseline.ts'
import { baselineEntrySchema } from '../report/schema.ts'
import { parseStrictly, readJson } from './config.ts'
import { writeAtomically } from './output.ts'

export interface BaselineFile {
  /** As the user gave it. */
  readonly path: string
  readonly baseline: Baseline
  /** How the file names the log of a report's `source`. */
  readonly nameOf: (source: string) => string
  readonly write: (baseline: Baseline) => void
}

const KEYS = [...Object.keys(baselineSchema.shape), ...Object.keys(baselineEntrySchema.shape)]

/** `updating`: the file may be missing, and reasons too. Throws UsageError. */
export function openBaseline(path: string, cwd: string, updating: boolean): BaselineFile {
  const file = resolve(cwd, path)
  if (!updating && !existsSync(file)) throw new UsageError(`${path}: no such baseline; --update-baseline makes one`)
  const baseline: Baseline = existsSync(file) ? parseStrictly(baselineSchema, readJson(file, path), path, KEYS) : { schemaVersion: 1, entries: [] }
  const unexplained = withoutReason(baseline)
  if (!updating && unexplained.length > 0) {
    throw new UsageError(`${path}: no reason given for ${unexplained.map((e) => `${e.rule} "${e.text}"`).join(', ')}`)
  }
  return {
    path, baseline,
    nameOf: (source) => (source === '-' ? source : sourceName(relative(dirname(file), resolve(cwd, source)))),
    write: (updated) => writeAtomically(file, `${JSON.stringify(updated, null, 2)}\n`),
  }
}

export function withoutReason({ entries }: Baseline): Baseline['entries'] {
  return entries.filter((e) => e.reason.trim() === '')
}
