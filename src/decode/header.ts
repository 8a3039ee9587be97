import { z } from 'zod'
import { InputError } from '../errors.ts'
import type { Header } from './event.ts'
import { presetName } from './vocabulary.ts'
import { count } from './schema.ts'

/** The newest log format whose builds were known when this was written. */
const NEWEST = 4

const KEYS = ['type', 'version', 'id', 'createdAt', 'cwd', 'parentSession', 'seedLength', 'isSeeded', 'origin', 'delegationDepth', 'agentPreset', 'capturedFrom']

const anyHeader = z.looseObject({ type: z.literal('session'), id: z.string().min(1), version: z.unknown().optional() })

const headerSchema = z.looseObject({
  id: z.string(),
  createdAt: count.optional(),
  cwd: z.string().optional(),
  parentSession: z.string().optional(),
  seedLength: count.optional(),
  isSeeded: z.boolean().optional(),
  origin: z.literal('subagent').optional(),
  delegationDepth: count.optional(),
  agentPreset: z.string().optional(),
  /** Only in headers made up for a live capture. */
  capturedFrom: count.optional(),
})

export interface ReadHeader {
  readonly header: Header
  /** What the harness's reader would refuse, as plain sentences. */
  readonly problems: readonly string[]
  /** Seq that the first event should have: 0, except in a live capture that began late. */
  readonly firstSeq: number
}

/** Reads the first line of a log. Throws `InputError` when this is no log of the harness, or one of a later format. */
export function readHeader(line: string, file: string): ReadHeader {
  const raw = anyHeader.safeParse(parse(line, file)).data
  if (!raw) throw new InputError('not-a-log', file, 'is not a dsh session log: its first line is not a session header ({"type":"session","id":…}). Give the whole file, from its first line.')
  if (!('createdAt' in raw) && !('delegationDepth' in raw)) {
    const instead = Object.keys(raw).find((key) => !KEYS.includes(key))
    throw new InputError('foreign-log', file, `begins like a dsh session log, but its header has no createdAt and no delegationDepth${instead === undefined ? '' : ` (it has ${JSON.stringify(instead)})`}: another tool wrote it.`)
  }
  const version = raw.version ?? 0
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 0 || version > NEWEST) {
    throw new InputError('unsupported-version', file, `is written in log format ${typeof version === 'number' ? version : `of type ${typeof version}`}; formats 0 to ${NEWEST} can be read. Use a newer dsh-inquest.`)
  }
  const parsed = headerSchema.safeParse(raw)
  if (!parsed.success) throw new InputError('malformed-header', file, `has a malformed session header (${describe(parsed.error)}).`)
  const { data } = parsed
  const header: Header = {
    version,
    id: data.id,
    createdAt: data.createdAt ?? null,
    cwd: data.cwd ?? null,
    parentSession: data.parentSession ?? null,
    seedLength: data.seedLength ?? null,
    isSeeded: data.isSeeded ?? data.seedLength !== undefined,
    origin: data.origin ?? null,
    delegationDepth: data.delegationDepth ?? 0,
    agentPreset: data.agentPreset === undefined ? null : presetName(data.agentPreset),
  }
  return { header, problems: problemsOf(raw, version), firstSeq: data.capturedFrom ?? 0 }
}

function parse(line: string, file: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw new InputError('not-a-log', file, 'is not a dsh session log: its first line is not JSON.', { cause: error })
  }
}

function problemsOf(raw: Readonly<Record<string, unknown>>, version: number): string[] {
  const required = ['version', 'createdAt', 'delegationDepth', ...(version >= 2 ? ['isSeeded'] : [])]
  const foreign = version >= 2 ? 'seedLength' : 'isSeeded'
  return [
    ...required.filter((key) => !(key in raw)).map((key) => `The header has no ${key}.`),
    ...Object.keys(raw).filter((key) => !KEYS.includes(key) || key === foreign).map((key) => `The header has a key that format ${version} does not know: ${JSON.stringify(key)}.`),
  ]
}

/** First complaint of a schema, with the place it is about. */
export function describe(error: z.ZodError): string {
  const [issue] = error.issues
  if (!issue) return 'unknown'
  const path = issue.path.map(String).join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}
