/**
 * `npm run bench -- [--mb 200] [--big] [--rounds 5] [--many 2000] [--family 100] [--only NAME]`: our reader and the whole of `inspect`
 * beside other ways to read the same file. Every measurement is a process of its own; the rounds are interleaved, so that a
 * slow minute of the machine hits all alike. Speed is compared by CPU time, except where threads or commands take part: there by
 * wall time. What is not installed is said and left out.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, cpSync, existsSync, openSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { compress, SHAPES, sizeOf, sizeOfAll, writeFamily, writeLog, writeMany } from './logs.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const FOLDER = resolve('.bench')
const AGENTS = 51
const { values } = parseArgs({
  options: { mb: { type: 'string', default: '200' }, big: { type: 'boolean', default: false }, rounds: { type: 'string', default: '5' }, many: { type: 'string', default: '2000' }, family: { type: 'string', default: '100' }, only: { type: 'string' } },
})
/** `cpuMs` is null for commands. */
const result = z.object({ ms: z.number(), cpuMs: z.number().nullable(), peakBytes: z.number().nullable(), note: z.string() })
type Result = z.infer<typeof result>

interface Way {
  readonly name: string
  readonly run: (path: string) => Result | string
}

const ours = (name: string, task: string): Way => ({
  name,
  run: (path) => {
    const child = spawnSync(process.execPath, [join(HERE, 'task.js'), task, path], { encoding: 'utf8' })
    if (child.status !== 0) return firstLine(child.stderr)
    const lines = child.stdout.trimEnd().split('\n')
    const measured = result.parse(JSON.parse(lines.at(-1) ?? ''))
    return { ...measured, note: measured.note || firstLine(child.stdout) }
  },
})

const command = (name: string, argv: readonly string[], more: (path: string) => readonly string[]): Way => ({
  name,
  run: (path) => {
    const nowhere = openSync('/dev/null', 'w')
    const start = performance.now()
    const child = spawnSync(argv[0] ?? '', [...argv.slice(1), ...more(path)], { stdio: ['ignore', nowhere, 'pipe'], encoding: 'utf8' })
    closeSync(nowhere)
    if (child.error) return `${argv[0]} is not installed`
    return child.status === 0 ? { ms: performance.now() - start, cpuMs: null, peakBytes: null, note: '' } : firstLine(child.stderr)
  },
})

const PLAIN: readonly Way[] = [
  ours('readline + JSON.parse', 'readline'),
  ours('our reader', 'reader'),
  ours('inspect', 'inspect'),
  ours('ndjson package', 'ndjson'),
  command('jq', ['jq', 'empty'], (path) => [path]),
  ours('DuckDB read_json', 'duckdb'),
]
const ZSTD: readonly Way[] = [
  command('zstd -dc', ['zstd', '-q', '-dc'], (path) => [path]),
  ours('our decoder alone', 'decoder'),
  ours('our reader', 'reader'),
  ours('inspect', 'inspect'),
]
const FAMILY: readonly Way[] = [ours('inspect', 'inspect')]
const triage = (name: string, more: readonly string[]): Way =>
  command(name, [process.execPath, join(HERE, '../../src/cli/main.js'), 'triage', '--format', 'ndjson', ...more], (path) => [path])
const MANY: readonly Way[] = [ours('inspect, one thread', 'inspect'), triage('triage, no cache', ['--no-cache']), triage('triage, from the cache', [])]

// The compiled sources look for it beside themselves.
for (const file of ['package.json', 'bin']) cpSync(file, join(FOLDER, 'js', file), { recursive: true })
if (!existsSync(join(FOLDER, 'js/dist'))) symlinkSync('src', join(FOLDER, 'js/dist'))
console.log(`Node ${process.version}, ${process.arch}, ${values.rounds} rounds`)
const wanted = (name: string): boolean => values.only === undefined || name.includes(values.only)
for (const bytes of [Number(values.mb) * 1e6, ...(values.big ? [2e9] : [])]) {
  for (const shape of SHAPES) {
    if (!wanted(shape.name)) continue
    const path = writeLog(FOLDER, shape, bytes)
    compare(`${shape.what}, ${mb(sizeOf(path))}`, path, sizeOf(path), PLAIN)
  }
  if (!wanted('zstd') || bytes > 1e9) continue
  const [, packed] = SHAPES
  if (!packed) continue
  const path = writeLog(FOLDER, packed, bytes)
  const small = compress(FOLDER, path)
  if (small === null) console.log('\nzstd is not installed: no zstd log was made')
  else compare(`${packed.what}, as zstd in frames of 4 kB, ${mb(sizeOf(small))} (${mb(sizeOf(path))} of text)`, small, sizeOf(path), ZSTD, { against: ZSTD.slice(0, 2), wall: true })
}
if (wanted('many')) compare(`${values.many} small logs`, writeMany(FOLDER, Number(values.many)), 0, MANY)
if (wanted('family')) {
  const bytes = Number(values.family) * 1e6
  const family = writeFamily(FOLDER, AGENTS, bytes)
  if (family === null) console.log('\nzstd is not installed: no family was made')
  else compare(`a session with ${AGENTS} subagents, as zstd, ${mb(sizeOfAll(family))} (${mb(bytes)} of text)`, family, bytes, FAMILY)
}

interface Comparison {
  /** Speed is told against each of these; the first way by default. */
  readonly against?: readonly Way[]
  /** Compare by wall time. */
  readonly wall?: boolean
}

/** `size`: bytes of text, for the speed; 0 when it says nothing. */
function compare(title: string, path: string, size: number, ways: readonly Way[], { against = ways.slice(0, 1), wall = false }: Comparison = {}): void {
  const results = new Map<Way, Result[]>()
  const missing = new Map<Way, string>()
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const way of ways) {
      if (missing.has(way)) continue
      const got = way.run(path)
      if (typeof got === 'string') missing.set(way, got)
      else results.set(way, [...(results.get(way) ?? []), got])
    }
  }
  console.log(`\n${title}\n${row('way', ['s', 'cpu s', 'MB/s', 'peak MB'], against.map(({ name }) => `to ${name}`))}`)
  for (const way of ways) {
    const got = results.get(way)
    if (!got) {
      console.log(`${way.name.padEnd(24)}  left out: ${missing.get(way) ?? ''}`)
      continue
    }
    const speeds = against.map((baseline) => {
      // Against the baseline of the same round.
      const ratios = got.map((r, i) => ratio(results.get(baseline)?.[i], r, wall)).toSorted((a, b) => a - b)
      return `${median(ratios).toFixed(2)} × (${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)})`
    })
    const cpu = got.flatMap((r) => r.cpuMs ?? [])
    const ms = median(got.map((r) => r.ms))
    const peak = Math.max(...got.map((r) => r.peakBytes ?? 0))
    const numbers = [(ms / 1000).toFixed(2), cpu.length === 0 ? '' : (median(cpu) / 1000).toFixed(2), size === 0 ? '' : (size / ms / 1000).toFixed(0), peak === 0 ? '' : (peak / 1e6).toFixed(0)]
    console.log(`${row(way.name, numbers, speeds)}${got[0]?.note ?? ''}`)
  }
}

function row(name: string, numbers: readonly string[], speeds: readonly string[]): string {
  return [name.padEnd(24), ...numbers.map((n) => n.padStart(8)), '  ', ...speeds.map((s) => s.padEnd(26))].join('')
}

function ratio(one: Result | undefined, other: Result, wall: boolean): number {
  if (!one) return Number.NaN
  return !wall && one.cpuMs !== null && other.cpuMs !== null ? one.cpuMs / other.cpuMs : one.ms / other.ms
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
}

function mb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => /\S/.test(line)) ?? 'failed'
}
