import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { UsageError } from '../errors.ts'
import { reporters } from '../reporters/index.ts'
import { didYouMean } from '../nearest.ts'

export interface Output {
  readonly format: string
  /** Null: standard output. */
  readonly path: string | null
}

/** Parses the value of `--format`. */
export function parseFormat(name: string): string {
  if (reporters.has(name)) return name
  const known = [...reporters.keys()]
  throw new InvalidArgumentError(`Unknown format${didYouMean(name, known)}. Known formats: ${known.join(', ')}.`)
}

/** Parses one `--output FORMAT=PATH` and adds it to the others. */
export function parseOutput(value: string, others: readonly Output[] = []): readonly Output[] {
  const equals = value.indexOf('=')
  const path = value.slice(equals + 1)
  if (equals < 1 || path === '') throw new InvalidArgumentError('Expected FORMAT=PATH.')
  return [...others, { format: parseFormat(value.slice(0, equals)), path: path === '-' ? null : path }]
}

/** All outputs with full paths: text goes to standard output unless another format claims it. Nothing is written yet. */
export function planOutputs(format: string | undefined, outputs: readonly Output[], cwd: string): readonly Output[] {
  const claims = [...(format === undefined ? [] : [{ format, path: null }]), ...outputs.filter((o) => o.path === null)]
  if (claims.length > 1) throw new UsageError(`two reports for standard output: ${claims.map((o) => o.format).join(' and ')}`)
  const files = outputs.flatMap(({ format: name, path }) => (path === null ? [] : [{ format: name, path: resolve(cwd, path) }]))
  const twice = files.find(({ path }, i) => files.findIndex((f) => f.path === path) !== i)
  if (twice !== undefined) throw new UsageError(`two reports for ${twice.path}`)
  for (const { path } of files) assertWritable(path)
  return [claims[0] ?? { format: 'text', path: null }, ...files]
}

/** Said before the analysis, not after an hour of it. */
function assertWritable(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK)
  } catch (cause) {
    throw new UsageError(`cannot write to the folder of ${path}`, { cause })
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new UsageError(`${path} is a folder`)
}

/** A reader of the file sees the old text or the whole new one. */
export function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text, { flag: 'wx' })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
