import { agent } from './agent.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { json, ndjson } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import type { Reporter } from './reporter.ts'
import { sarif } from './sarif.ts'
import { text } from './text/index.ts'

export type { PrintOptions, Reporter } from './reporter.ts'

/** By format name, in the order of the help text. */
export const reporters: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ['text', text],
  ['json', json],
  ['ndjson', ndjson],
  ['sarif', sarif],
  ['junit', junit],
  ['github', github],
  ['gitlab', gitlab],
  ['markdown', markdown],
  ['agent', agent],
])
