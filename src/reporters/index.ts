import { json, ndjson } from './json.ts'
import type { Reporter } from './reporter.ts'
import { text } from './text/index.ts'

export type { PrintOptions, Reporter } from './reporter.ts'

/** By format name, in the order of the help text. */
export const reporters: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ['text', text],
  ['json', json],
  ['ndjson', ndjson],
])
