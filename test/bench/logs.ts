/** dsh-shaped logs of any size; the same size gives the same bytes. */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { log, question, type LogOptions, type Turn } from '../support/log.ts'

export interface Shape {
  readonly name: string
  readonly what: string
  readonly options: LogOptions
}

export const SHAPES: readonly Shape[] = [
  { name: 'v0-chunks', what: 'v0, one row per chunk', options: { format: 0, chunks: 'single', pieceLength: 5 } },
  { name: 'v0-packed', what: 'v0, packed chunk rows', options: { format: 0, chunks: 'packed', pieceLength: 5 } },
  { name: 'v3-streams', what: 'v3, streams inside messages', options: { format: 3, streams: true, pieceLength: 5 } },
  { name: 'v0-letters', what: 'v0, one row per letter: a fifth of the calls', options: { format: 0, chunks: 'single', pieceLength: 1 } },
]

/** Rounds until a goal is reached and the next one is set. */
const ROUNDS = 40
/** The round in which the human is asked. */
const ASKS = 7
/** Goals between compactions: they keep the surface as small as the harness keeps it. */
const GOALS = 2
/** Text of one batch of rows: the harness compresses every batch as a frame of its own. */
const FRAME = 4096

/** A plain log of at least `bytes`, unless it is there already. */
export function writeLog(folder: string, { name, options }: Shape, bytes: number): string {
  const path = join(folder, `${name}-${bytes}.jsonl`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  write(path, session(options), bytes)
  return path
}

function write(path: string, texts: Iterable<string>, bytes: number): void {
  const file = openSync(`${path}.part`, 'w')
  let written = 0
  for (const text of texts) {
    writeSync(file, text)
    written += text.length
    if (written >= bytes) break
  }
  closeSync(file)
  renameSync(`${path}.part`, path)
}

/** The same log as zstd, one frame per batch, or null without the zstd command. */
export function compress(folder: string, path: string): string | null {
  const target = `${path}.zstd`
  if (existsSync(target)) return target
  const parts = mkdtempSync(join(folder, 'frames-'))
  // One shell call for all frames: awk cuts the batches, zstd writes a frame per file.
  const script = `
    awk -v size=${FRAME} -v dir="$2" 'NR == 1 || held > size { close(name); name = sprintf("%s/%09d", dir, ++n); held = 0 } { print > name; held += length($0) + 1 } NR == 1 { held = size + 1 }' "$1" &&
    find "$2" -type f | sort > "$2.list" && zstd -q -c --no-content-size --filelist "$2.list" > "$3.part" && mv "$3.part" "$3"`
  const done = spawnSync('sh', ['-c', script, 'sh', path, parts, target], { stdio: ['ignore', 'ignore', 'inherit'] })
  rmSync(parts, { recursive: true })
  rmSync(`${parts}.list`, { force: true })
  return done.status === 0 ? target : null
}

/** Many small logs, each a run of its own. */
export function writeMany(folder: string, count: number): string {
  const root = join(folder, `many-${count}`)
  if (existsSync(root)) return root
  for (let i = 0; i < count; i += 1) {
    const id = `session-${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`
    const here = join(`${root}.part`, String(i % 100), id)
    mkdirSync(here, { recursive: true })
    const [text] = session({ format: ([0, 3, 4] as const)[i % 3] ?? 0, streams: true, pieceLength: 5, id, cwd: `/srv/project-${i % 7}`, startTime: 1_780_000_000_000 + i * 3_600_000 }, 1 + (i % 6), i)
    writeFileSync(join(here, i % 3 === 0 ? 'session.jsonl' : `session.v${[0, 3, 4][i % 3]}.jsonl`), text ?? '')
  }
  renameSync(`${root}.part`, root)
  return root
}

/** A session with subagents, all as zstd and of `bytes` of text together, or null without the zstd command. */
export function writeFamily(folder: string, agents: number, bytes: number): string | null {
  const root = join(folder, `family-${agents}-${bytes}`)
  if (existsSync(root)) return root
  rmSync(`${root}.part`, { recursive: true, force: true })
  const ids = Array.from({ length: agents + 1 }, (_, i) => `session-${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`)
  for (const [i, id] of ids.entries()) {
    const here = join(`${root}.part`, ...(i === 0 ? [] : ['subagents', id]))
    mkdirSync(here, { recursive: true })
    const path = join(here, 'session.v3.jsonl')
    const header = i === 0 ? {} : { origin: 'subagent', parentSession: ids[0], delegationDepth: 1 }
    write(path, session({ format: 3, streams: true, pieceLength: 5, id, header }, ROUNDS, i + 1), bytes / ids.length)
    if (compress(folder, path) === null) return null
    rmSync(path)
  }
  renameSync(`${root}.part`, root)
  return root
}

export function sizeOfAll(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => sum + (entry.isFile() ? sizeOf(join(entry.parentPath, entry.name)) : 0), 0)
}

export const sizeOf = (path: string): number => statSync(path).size

/** A session without end, goal by goal. */
function* session(options: LogOptions, rounds = ROUNDS, seed = 1): Generator<string> {
  const words = new Words(seed)
  const l = log({ usage: { inputTokens: 21_000, outputTokens: 700 }, ...options })
  for (let goal = 1; ; goal += 1) {
    l.goal(`Milestone ${goal}: ${words.text(60)}`, rounds + 5)
    for (let i = 1; i < rounds; i += 1) {
      l.round((r) => {
        workRound(r, i, words)
        if (i === ASKS) ask(r, goal % 2 === 0, words)
      })
    }
    l.round((r) => r.updateGoal('complete').says(words.text(300)))
    if (goal % GOALS === 0) l.compact(words.text(3000))
    yield l.drain()
  }
}

function workRound(r: Turn, i: number, words: Words): void {
  const path = `src/part-${words.next(40)}.ts`
  const listing = words.text(1500)
  const content = words.text(2500)
  r.steps((s) => s.program(`const text = await tools.read({ path: ${JSON.stringify(path)} })\nreturn text`, (p) => p.dispatch('read', { path }, listing, 12).returns(listing)), words.text(2500))
  r.wait(900)
  r.steps((s) => s.program(`const file = ${JSON.stringify(content)}\nawait tools.write({ path: ${JSON.stringify(path)}, content: file })\nreturn "written"`, (p) => p.dispatch('write', { path, content }, `Wrote ${path}`, 8).returns('written')), words.text(1200))
  r.wait(900).program('return await tools.bash({ command: "npm test" })', (p) => p.dispatch('bash', { command: 'npm test' }, `${words.next(500)} tests passed\n${listing}`, 9000).returns('passed'))
  if (i % 9 !== 5) r.says(words.text(4000))
}

function ask(r: Turn, drops: boolean, words: Words): void {
  const id = `choice-${words.next(1000)}`
  const label = words.text(12)
  const options = JSON.stringify([{ label }, { label: 'Neither' }])
  r.program(`const answer = await tools.ask_user_question({ questions: [{ id: ${JSON.stringify(id)}, question: "Which one?", options: ${options} }] })\nreturn ${drops ? '"asked"' : 'answer'}`,
    (p) => p.ask([question(id, 'Which one?', [label, 'Neither'])], { [id]: label }, 60_000).returns(drops ? 'asked' : { answers: [{ id, selected: [label] }] }))
}

/** Reproducible text: words as frequent as in prose. */
class Words {
  static readonly #all = 'the of and to in that is for it with as on be at by this from or an are was not but all can which when one there each how if will up other about out many then them some so these would into has more two like time no make than first been its who now people my made over did down only way find use may water long little very after called just where most know'.split(' ')
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  next(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * below)
  }

  text(length: number): string {
    let text = ''
    while (text.length < length) text += `${Words.#all[Math.min(this.next(97), this.next(97))]}${this.next(12) === 0 ? `-${this.next(10_000)}\n` : ' '}`
    return text.slice(0, length)
  }
}
