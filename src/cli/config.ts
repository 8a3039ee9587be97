/** `inquest.config.json`, or the key `inquest` of package.json. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../errors.ts'
import { certainties, severities } from '../facts/vocabulary.ts'
import { didYouMean } from '../nearest.ts'
import { rules } from '../rules/index.ts'

export const CONFIG_FILE = 'inquest.config.json'
const ruleIds = rules.map(({ id }) => id)
const ruleId = z.enum(ruleIds)

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  logs: z.array(z.string().min(1)).optional().describe('Log files, folders and globs to check when the command line names none; relative to this file.'),
  failOn: z.enum(severities).optional().describe('Fail on a finding of this severity or worse. Default: error.'),
  minCertainty: z.enum(certainties).optional().describe('Leave out findings that are less certain. Default: possible.'),
  rules: z.partialRecord(ruleId, z.enum(['off', ...severities])).optional().describe('Severity per rule.'),
  max: z.partialRecord(ruleId, z.int().nonnegative()).optional().describe('Most findings of a rule in the whole run.'),
  assert: z.array(z.string()).optional().describe('What must hold for every session, e.g. "goal.phase == complete".'),
  baseline: z.string().min(1).optional().describe('File of accepted findings; relative to this file.'),
  pruneCheck: z.boolean().optional().describe('Fail when the baseline accepts something that no longer occurs.'),
})

export type Config = z.infer<typeof configSchema>

export interface LoadedConfig {
  readonly config: Config
  /** What relative paths in it are relative to. */
  readonly folder: string
}

/** Reads `path`, or the configuration of the folder `cwd` if it has one. Throws UsageError. */
export function loadConfig(path: string | undefined, cwd: string): LoadedConfig {
  if (path !== undefined) return { config: parseConfig(readJson(resolve(cwd, path), path), path), folder: dirname(resolve(cwd, path)) }
  const own = existsSync(resolve(cwd, CONFIG_FILE)) ? readJson(resolve(cwd, CONFIG_FILE), CONFIG_FILE) : undefined
  const manifest = existsSync(resolve(cwd, 'package.json')) ? manifestConfig(readJson(resolve(cwd, 'package.json'), 'package.json')) : undefined
  if (own !== undefined && manifest !== undefined) throw new UsageError(`two configurations: ${CONFIG_FILE} and the key inquest of package.json; keep one`)
  return { config: own !== undefined ? parseConfig(own, CONFIG_FILE) : manifest !== undefined ? parseConfig(manifest, 'package.json, inquest') : {}, folder: cwd }
}

function manifestConfig(manifest: unknown): unknown {
  return typeof manifest === 'object' && manifest !== null && 'inquest' in manifest ? manifest.inquest : undefined
}

function parseConfig(value: unknown, name: string): Config {
  return parseStrictly(configSchema, value, name, [...Object.keys(configSchema.shape), ...ruleIds])
}

/** Parses with the nearest of the known `keys` in the message. Throws UsageError. */
export function parseStrictly<T>(schema: z.ZodType<T>, value: unknown, name: string, keys: readonly string[]): T {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  throw new UsageError(`${name}: ${parsed.error.issues.map((issue) => describe(issue, keys)).join('; ')}`)
}

function describe(issue: z.core.$ZodIssue, keys: readonly string[]): string {
  const where = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${where}unknown key ${key}${didYouMean(key, keys)}`).join('; ')
  if (issue.code !== 'invalid_value') return `${where}${issue.message}`
  const words = issue.values.map(String)
  return `${where}${JSON.stringify(issue.input)} is none of ${words.join(', ')}${typeof issue.input === 'string' ? didYouMean(issue.input, words) : ''}`
}

/** Throws UsageError, with the name the user knows the file by. */
export function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`${name}: ${error instanceof SyntaxError ? `no JSON: ${error.message}` : 'cannot be read'}`, { cause: error })
  }
}

/** The rule of this id. Throws UsageError with the nearest one. */
export function knownRule(id: string): string {
  if (!ruleIds.includes(id)) throw new UsageError(`unknown rule ${id}${didYouMean(id, ruleIds)}`)
  return id
}
