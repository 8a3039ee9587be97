/**
 * Writes whole session logs for tests: one script, four formats. Ids, seqs and times are deterministic.
 *
 *     const l = log({ format: 4, goal: 'Ship it' })                    // 0, 2, 3 or 4 (the default); `/goal Ship it`
 *       .round((r) => r
 *         .program('await tools.ask_user_question({…}); return "asked"', (p) => p
 *           .ask([question('db', 'Which database?', ['Postgres', 'SQLite'])], { db: 'Postgres' }, 60_000)
 *           .returns('asked'))
 *         .says('Awaiting your decision'))
 *       .user('Anything new?', (t) => t
 *         .call('read', { path: 'a.txt' }, 'A')                        // a native call: one step, one call
 *         .call('bash', { command: 'x' }, fail('no such command'))
 *         .steps((s) => s.call(…).program(…))                          // several calls of one reply
 *         .says('Done'))
 *     l.toText()      the log as text            l.rows          the rows, header first
 *     l.seq           seq of the last row        l.seqs('dispatch/end')   seqs of all rows of a type, in any format
 *     l.session()     decoded and folded by the product's own reader
 *
 * Every method of a writer returns that writer; a body's return value is ignored, so it may be one chain or a block.
 * A step ends by itself. A turn ends `completed` unless its body says `ends(reason)` or `crashes()`; a crash leaves the
 * turn (and with `p.open()` the call, with `p.start(…)` the nested call) open. `l.resume()` then does what the next process
 * does: writes the closers, then `session/end-seed`. `log({ seed: l })` forks `l`.
 *
 * Time: every row is `tick` ms (5) after the one before; `wait(ms)` lets more time pass. Chunk rows (format 0 only) are
 * `packed` (default), `single` or `none`; packing never changes a seq.
 *
 * What has no method of its own is written with `row(type, data)`, what is no row at all with `raw(line)`.
 */
import { Buffer } from 'node:buffer'
import { decodeLog } from '../../src/decode/decode.ts'
import { SessionBuilder } from '../../src/model/build.ts'
import type { Session } from '../../src/model/session.ts'

export type Format = 0 | 2 | 3 | 4
export type Row = { readonly [key: string]: unknown }
type Fields = { readonly [key: string]: unknown }
type Source = { readonly kind: string } & Fields

export interface LogOptions {
  readonly format?: Format
  readonly id?: string
  readonly cwd?: string
  readonly startTime?: number
  readonly tick?: number
  readonly chunks?: 'packed' | 'single' | 'none'
  /** Format 2 and later: the whole stream of a reply stands in its message, as the harness writes it; by default only its end. */
  readonly streams?: boolean
  /** Characters of one streamed piece; 24 by default, models send about 5. */
  readonly pieceLength?: number
  /** Objective: the log begins with `/goal <objective>`. */
  readonly goal?: string
  readonly cap?: number
  /** Tool names of the request header; only `run_code` by default (code mode). Null: a header without a list. */
  readonly tools?: readonly string[] | null
  /** The tool list declares a `timeout` for `ask_user_question`. */
  readonly timedQuestions?: boolean
  readonly system?: string
  /** Default `m`; the provider is `p`. */
  readonly model?: string
  /** Per request. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number }
  /** Fork of this log: its rows are copied (all, or those before `seedUntil`). */
  readonly seed?: Log
  readonly seedUntil?: number
  /** More header keys, e.g. `{ origin: 'subagent', parentSession: '…', delegationDepth: 1, agentPreset: 'code' }`. */
  readonly header?: Fields
}

/** Outcome of a call: a value (text as is, anything else as compact JSON), or a failure made by `fail`. */
export class Failure {
  readonly text: string
  readonly error: { readonly name: string; readonly code: string } | null
  constructor(text: string, error: { readonly name: string; readonly code: string } | null) {
    this.text = text
    this.error = error
  }
}

/** `Error: <message>`; `code` makes it an error with an identity (where the format can carry one). */
export function fail(message: string, code?: string, name = 'UserQuestionError'): Failure {
  return new Failure(`Error: ${message}`, code === undefined ? null : { name, code })
}

export interface QuestionItem {
  readonly id: string
  readonly question: string
  readonly options?: readonly { readonly label: string }[]
  readonly multi_select?: boolean
  readonly [key: string]: unknown
}

export function question(id: string, text: string, options: readonly string[] = [], more: Fields = {}): QuestionItem {
  return { id, question: text, ...(options.length > 0 && { options: options.map((label) => ({ label })) }), ...more }
}

/** The answer object the tool returns. A choice is a label, an own text, several labels, or null (skipped). */
export function answers(items: readonly QuestionItem[], chosen: { readonly [id: string]: string | readonly string[] | null }): Fields {
  return {
    answers: items.map(({ id, options = [] }) => {
      const choice = chosen[id] ?? null
      if (choice === null) return { id, selected: [] }
      if (typeof choice === 'string') return options.some((o) => o.label === choice) ? { id, selected: [choice] } : { id, selected: [], custom: choice }
      return { id, selected: choice }
    }),
  }
}

/** A text cut by the harness's spill policy. */
export function spilled(preview: string, omittedBytes: number, path = '/tmp/dsh-spill-abc123/session-0/1-run_code.txt'): string {
  return `${preview}\n\n(Omitted ${omittedBytes} bytes. Full formatted result stored at: ${path}. Read it in parts.)`
}

const DISPATCH_TYPES: Readonly<Record<string, readonly string[]>> = {
  'dispatch/start': ['tool/code-dispatch-start', 'tool/ptc-dispatch-start'],
  'dispatch/end': ['tool/code-dispatch', 'tool/ptc-dispatch'],
}
/** Producer kinds of v4 that are `plugin` sources in earlier formats, with the plugin's name there. */
const PLUGINS: Readonly<Record<string, string>> = {
  'system-prompt': '@deepseek-ai/dsh-system-prompt', 'runtime-context': '@deepseek-ai/dsh-system-prompt', 'compact-checkpoint': 'compact',
  'compact-basic': 'dsh-compaction-basic', 'ptc-mode': 'tools-code-mode', 'repeat-tool-reminder': 'repeat-tool-reminder',
  'tool-goal': 'tool-goal', 'tool-jobs': 'tool-jobs', 'plan-mode': 'plan-mode', 'hooks-claude-code': 'hooks-claude-code', 'hooks-codex': 'hooks-codex',
}
const FIRST_FORMAT_WITH = { attempts: 2, endSeedMark: 2, seriesHeader: 2, systemMessage: 3, ptc: 3, toolRole: 4, receiptError: 4, ownSources: 4 } as const

interface QueuedItem { readonly id: string; readonly content: readonly unknown[]; readonly source: Source }
interface GoalState { readonly id: string; objective: string; revision: number; rounds: number; cap: number; phase: string; reason: { code: string; message: string } | null; readonly createdAt: number }
interface OpenCall { readonly callId: string; readonly callSeq: number }

export function log(options: LogOptions = {}): Log {
  return new Log(options)
}

/** Text of what a tool gives back. */
function textOf(outcome: unknown, indent?: number): string {
  if (outcome instanceof Failure) return outcome.text
  return typeof outcome === 'string' ? outcome : (JSON.stringify(outcome, null, indent) ?? '')
}

export class Log {
  readonly format: Format
  readonly rows: Row[] = []
  /** Lines as written; differs from `rows` by `raw` lines. */
  readonly #lines: string[] = []
  readonly #options: LogOptions
  #seq = -1
  #clock: number
  #ids = 0
  #turn = 0
  #headerReason: string | null = 'initial'
  #tools: readonly string[] | null
  #system: string
  #systemWritten = false
  #goal: GoalState | null = null
  #surface: number[] = []
  #queue: QueuedItem[] = []
  #open: { turn: number; step: number | null; calls: OpenCall[] } | null = null

  constructor(options: LogOptions) {
    const { format = 4, id = 'session-00000000-0000-4000-8000-000000000001', cwd = '/srv/app', startTime = 1_780_000_000_000, seed, seedUntil = Infinity } = options
    this.format = format
    this.#options = options
    this.#clock = startTime
    this.#tools = options.tools === undefined ? ['run_code'] : options.tools
    this.#system = options.system ?? 'You are a helper. Tools: ask_user_question, read, write, bash, get_goal, update_goal.'
    const copied = (seed?.rows ?? []).slice(1).filter((row) => numberOf(row['seq'] ?? row['seq0']) < seedUntil)
    const last = copied.at(-1)
    if (seed && last) {
      this.#seq = lastSeqOf(last)
      this.#clock = numberOf(last['time'] ?? last['time0']) + 60_000
      this.#turn = copied.filter((row) => row['type'] === 'turn/start').length
      this.#goal = seed.#goal && { ...seed.#goal }
      this.#surface = seed.#surface.filter((s) => s < seedUntil)
      this.#systemWritten = seed.#systemWritten
      this.#ids = seed.#ids
    }
    this.#push({
      type: 'session', version: format, id, createdAt: seed ? this.#clock : startTime, ...(format > 0 && { isSeeded: seed !== undefined }), cwd, delegationDepth: 0,
      ...(seed && { parentSession: String(seed.rows[0]?.['id']) }), ...(seed && format === 0 && { seedLength: this.#seq + 1 }), ...options.header,
    })
    for (const row of copied) this.#push(row)
    if (seed) this.endSeed(true)
    if (options.goal !== undefined) this.goal(options.goal, options.cap)
  }

  // --- reading what was written ------------------------------------------------------------------------------------

  /** Seq of the last row. */
  get seq(): number {
    return this.#seq
  }

  get goalId(): string {
    return this.#goal?.id ?? 'goal-none'
  }

  get revision(): number {
    return this.#goal?.revision ?? 0
  }

  /** The header offers `run_code` and nothing else. */
  get isCodeMode(): boolean {
    return this.#tools?.length === 1 && this.#tools[0] === 'run_code'
  }

  /** Seqs of all rows of a type; `dispatch/start` and `dispatch/end` name the nested calls of any format. */
  seqs(type: string): number[] {
    const types = DISPATCH_TYPES[type] ?? [type]
    return this.rows.filter((row) => types.includes(String(row['type']))).map((row) => numberOf(row['seq']))
  }

  toText(): string {
    return `${this.#lines.join('\n')}\n`
  }

  /** The text so far, which the writer then forgets: for logs that are larger than memory. */
  drain(): string {
    const text = this.toText()
    this.#lines.length = 0
    this.rows.length = 0
    return text
  }

  toBytes(): Buffer {
    return Buffer.from(this.toText())
  }

  /** Decoded and folded by the product's own reader. */
  async session(): Promise<Session> {
    return readSession(this.toBytes())
  }

  // --- between turns -------------------------------------------------------------------------------------------------

  wait(ms: number): this {
    this.#clock += ms
    return this
  }

  /** Any event row. */
  row(type: string, data: unknown, more: Fields = {}): this {
    this.#seq += 1
    this.#clock += this.#options.tick ?? 5
    this.#push({ type, seq: this.#seq, time: this.#clock, data, ...more })
    if (more['surfaceOp'] === 'append') this.#surface.push(this.#seq)
    return this
  }

  /** A line that may be no row at all; takes no seq. */
  raw(line: string): this {
    this.#lines.push(line)
    return this
  }

  /** Rows get lost: the next seq is `count` higher. */
  skipSeqs(count: number): this {
    this.#seq += count
    return this
  }

  id(prefix = 'm'): string {
    this.#ids += 1
    return `${prefix}-${this.#ids}`
  }

  /** `/goal <objective>`, typed by the human. */
  goal(objective: string, cap = 256): this {
    this.command('goal', ` ${objective}`, () => this.goalChange('create', { objective, cap }), 'Goal created')
    return this
  }

  /** A slash command of the human; `effect` writes what it does. */
  command(name: string, args: string, effect: () => unknown = () => undefined, text = 'ok'): this {
    const commandId = this.id('cmd')
    this.row('command/run', { commandId, name, args, source: { kind: 'user' } })
    effect()
    return this.row('command/done', { commandId, kind: 'success', text })
  }

  /** create · edit · pause · resume · complete · block (with `message`, `code`) · clear */
  goalChange(operation: string, change: { objective?: string; cap?: number; message?: string; code?: string } = {}): this {
    const now = this.#clock
    if (operation === 'create') {
      this.#goal = { id: `goal-${this.id('g')}`, objective: change.objective ?? '', revision: 0, rounds: 0, cap: change.cap ?? 256, phase: 'active', reason: null, createdAt: now }
    }
    const goal = this.#goal
    if (!goal) throw new Error(`goalChange(${operation}) without a goal`)
    goal.revision += 1
    if (operation === 'clear') {
      this.#goal = null
      return this.row('goal/change', { kind: 'goal/change', version: 1, operation, cleared: { id: goal.id, revision: goal.revision }, clearedAt: now })
    }
    const phases: Record<string, string> = { pause: 'paused', resume: 'active', complete: 'complete', block: 'blocked' }
    goal.phase = phases[operation] ?? goal.phase
    if (operation !== 'edit') goal.reason = operation === 'block' ? { code: change.code ?? 'model-reported', message: change.message ?? 'Cannot go on' } : null
    if (operation === 'edit') {
      goal.objective = change.objective ?? goal.objective
      goal.cap = change.cap ?? goal.cap
    }
    return this.row('goal/change', {
      kind: 'goal/change', version: 1, operation,
      goal: { id: goal.id, revision: goal.revision, objective: goal.objective, phase: goal.phase, maxGoalRounds: goal.cap, ...(goal.reason && { blockedReason: goal.reason }) },
      roundsStarted: goal.rounds, createdAt: goal.createdAt, updatedAt: now,
    })
  }

  /** What a goal tool returns. */
  goalValue(): Fields {
    const goal = this.#goal
    if (!goal) return { goal: null }
    const { id, revision, objective, phase, rounds, cap, reason } = goal
    return { goal: { id, revision, objective, phase, roundsStarted: rounds, maxGoalRounds: cap, ...(reason && { blockedReason: reason }) }, activation: 'armed' }
  }

  /** The driver's end of a goal that used up its rounds. */
  roundLimit(): this {
    return this.goalChange('block', { code: 'round-limit', message: `Goal reached its configured limit of ${this.#goal?.cap ?? 0} rounds.` })
  }

  /** A turn opened by the human's prompt. */
  user(text: string, body: (turn: Turn) => unknown = (t) => t.says('Done.')): this {
    return this.turn({ source: { kind: 'user' }, text }, body)
  }

  /** The next round of the goal: one turn. */
  round(body: (turn: Turn) => unknown = (t) => t.says('Done.')): this {
    const goal = this.#goal
    if (!goal) throw new Error('round() without a goal')
    goal.rounds += 1
    const text = `<goal_round>\nObjective: ${JSON.stringify(goal.objective)}\nRound: ${goal.rounds}/${goal.cap}\n</goal_round>`
    return this.turn({ source: { kind: 'goal', goalId: goal.id, revision: goal.revision, round: goal.rounds }, text }, body)
  }

  /** As many rounds as the goal still has. */
  rounds(count: number, body: (turn: Turn, index: number) => unknown): this {
    for (let i = 0; i < count; i += 1) this.round((turn) => body(turn, i))
    return this
  }

  /** A turn opened by any message; without one it is a turn of its own accord (a queued message of `queue` opens it). */
  turn(opener: { readonly source: Source; readonly text: string } | null, body: (turn: Turn) => unknown = (t) => t.says('Done.')): this {
    const item = opener && this.#item(opener.source, opener.text)
    if (item) this.row('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [item] })
    this.#turn += 1
    this.row('turn/start', { turn: this.#turn })
    this.#open = { turn: this.#turn, step: null, calls: [] }
    if (item) this.row('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] })
    if (item?.source.kind === 'goal' && this.#headerReason === null && this.format >= FIRST_FORMAT_WITH.seriesHeader) this.#headerReason = 'series'
    const turn = new Turn(this, this.#turn, item)
    body(turn)
    turn.close()
    return this
  }

  /** The tool list or system text changes; the next request writes the new header. */
  header(change: { readonly tools?: readonly string[] | null; readonly system?: string }): this {
    if (change.tools !== undefined) this.#tools = change.tools
    if (change.system !== undefined) this.#system = change.system
    this.#headerReason ??= 'change'
    return this
  }

  /** What the next process does with a stopped log: closers for what is open, then `session/end-seed`. */
  resume(): this {
    const open = this.#open
    if (open) {
      for (const { callId, callSeq } of open.calls) {
        this.#result(open.turn, open.step ?? 1, callId, callSeq, new Failure('The tool call was interrupted; its outcome is unknown.', { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' }), `interrupted-tool-result-${callId}-${this.#seq + 1}`)
      }
      if (open.step !== null) this.row('step/end', { turn: open.turn, step: open.step })
      this.row('turn/end', { turn: open.turn, reason: { kind: 'interrupted' } })
      this.#open = null
    }
    this.#headerReason = 'resume'
    return this.endSeed(false)
  }

  endSeed(inherited = false): this {
    return this.row('session/end-seed', inherited && this.format >= FIRST_FORMAT_WITH.endSeedMark ? { inherited: true } : {})
  }

  /** Puts a summary in the place of the surface between two rows (all of it but the system text by default). */
  compact(summary: string, range: { from?: number; to?: number } = {}, turn: number | null = null): this {
    const compactionId = this.id('cp')
    const movable = this.format >= FIRST_FORMAT_WITH.systemMessage ? this.#surface.slice(1) : this.#surface
    const from = this.#surface.indexOf(range.from ?? movable[0] ?? -1)
    const to = this.#surface.indexOf(range.to ?? movable.at(-1) ?? -1)
    const shadowed = this.#surface.slice(from, to + 1)
    const start = shadowed[0] ?? 0
    const end = shadowed.at(-1) ?? 0
    this.row('compaction/start', { compactionId, turn })
    this.row('compaction/summary', {
      compactionId, summary: [{ type: 'text', text: summary }], shadowedRange: { start, end }, shadowedSeqs: shadowed, shadowedTokenCount: 1000,
      provider: 'p', model: 'm',
    })
    this.#replace('user/message', { id: this.id(), role: 'user', content: [{ type: 'text', text: `<compacted-summary>${summary}</compacted-summary>` }], source: this.#source({ kind: 'compact-checkpoint', compactionId }) }, start, end, shadowed)
    if (this.format >= FIRST_FORMAT_WITH.seriesHeader) this.#headerReason ??= 'series'
    return this.row('compaction/end', { compactionId, turn })
  }

  /** The pruner shortens an old result: its middle is gone from the surface. */
  prune(resultSeq: number, text: string): this {
    const data = this.rows.find((row) => row['seq'] === resultSeq && row['type'] === 'tool/result')?.['data']
    const call = this.#calls.get(resultSeq)
    if (!isFields(data) || !call) throw new Error(`prune(${resultSeq}): no result there`)
    this.row('compaction/prune', { shadowedRange: { start: resultSeq, end: resultSeq }, shadowedSeqs: [resultSeq], shadowedTokenCount: 500 })
    const message = isFields(data['message']) ? String(data['message']['id']) : ''
    this.#replace('tool/result', this.#resultData(call.turn, call.step, call.callId, text, message), resultSeq, resultSeq, [resultSeq])
    const moved = this.#calls.get(resultSeq)
    if (moved) this.#calls.set(this.#seq, moved)
    return this
  }

  /** Puts a message into a list of the inbox; `next-step` ones are claimed by the next step. */
  queue(source: Source, text: string, target = 'next-step'): this {
    const item = this.#item(source, text)
    const start = target === 'next-step' ? this.#queue.length : 0
    if (target === 'next-step') this.#queue.push(item)
    return this.row('agent/inbox/spliced', { target, start, inserted: [item] })
  }

  // --- for the turn and call writers ---------------------------------------------------------------------------------

  readonly #calls = new Map<number, { turn: number; step: number; callId: string }>()

  /** @internal */
  startStep(turn: number, step: number, opener: QueuedItem | null): void {
    const claimed = this.#queue
    this.#queue = []
    if (claimed.length > 0) this.row('agent/inbox/spliced', { target: 'next-step', start: 0, removedCount: claimed.length, inserted: [] })
    this.row('step/start', { turn, step })
    if (this.#open) this.#open.step = step
    if (!this.#systemWritten && this.format >= FIRST_FORMAT_WITH.systemMessage) {
      const message = { id: this.id(), role: 'system', content: [{ type: 'text', text: this.#system }], source: this.#source({ kind: 'system-prompt' }) }
      this.row('system/message', { turn, step, message }, { surfaceOp: 'append' })
    }
    this.#systemWritten = true
    for (const { id, content, source } of [...claimed, ...(opener ? [opener] : [])]) this.row('user/message', { id, role: 'user', content, source }, { surfaceOp: 'append' })
    this.#requestHeader()
  }

  /** @internal */
  endStep(turn: number, step: number): void {
    this.row('step/end', { turn, step })
    if (this.#open) this.#open.step = null
  }

  /** @internal */
  endTurn(turn: number, reason: Fields): void {
    this.row('turn/end', { turn, reason })
    this.#open = null
  }

  #requestHeader(): void {
    if (this.#headerReason === null) return
    const parameters = { type: 'object', properties: this.#options.timedQuestions ? { timeout: { type: 'number' } } : {} }
    const tools = this.#tools?.map((name) => ({ name, description: `Does ${name}.`, parameters }))
    const header = {
      config: { provider: 'p', model: this.#options.model ?? 'm' },
      ...(this.format < FIRST_FORMAT_WITH.systemMessage && { system: this.#system }),
      ...(tools && { tools }),
    }
    this.row('request/header', { header, reason: this.#headerReason })
    if (this.#headerReason === 'initial') this.row('request/context', { provider: 'p', model: 'm', contextWindow: 128_000 })
    this.#headerReason = null
  }

  /** @internal The model's reply: chunk rows before it (v0) or its stream inside it. */
  assistant(turn: number, step: number, content: readonly Fields[], interrupted = false): void {
    const { inputTokens, outputTokens } = this.#options.usage ?? { inputTokens: 1000, outputTokens: 50 }
    const usage = { inputTokens, outputTokens }
    const streamed = this.format === 0 ? this.#chunks(turn, step, content) : []
    this.row('assistant/message', {
      turn, step,
      message: { id: this.id(), role: 'assistant', content, source: { kind: 'model', provider: 'p', model: 'm' } },
      ...(!interrupted && { usage }), ...(interrupted && { interrupted: true }),
      ...(this.format >= FIRST_FORMAT_WITH.attempts && { stream: [...(this.#options.streams ? this.#stream(content) : []), { type: 'chunk', time: this.#clock, chunk: { type: 'finish', reason: { kind: 'stop' } } }] }),
    }, { ...(streamed.length > 0 && { sourceEventSeqs: streamed }), surfaceOp: 'append' })
  }

  /** @internal An attempt that left no message. */
  attempt(turn: number, step: number): void {
    if (this.format >= FIRST_FORMAT_WITH.attempts) this.row('assistant/attempt', { turn, step, stream: [] })
    else this.#chunks(turn, step, [{ type: 'text', text: 'cut off here' }])
  }

  #stream(content: readonly Fields[]): unknown[] {
    return content.flatMap((block, index) => {
      const { kind, pieces, names } = piecesOf(block, this.#options.pieceLength)
      return [
        { type: 'chunk', time: this.#clock, chunk: { type: 'block-start', index, blockType: kind } },
        { type: `${kind}-chunks`, time0: this.#clock, index, dt: pieces.slice(1).map((_, i) => i % 4), ...names, [kind === 'tool-call' ? 'args' : 'texts']: pieces },
        { type: 'chunk', time: this.#clock, chunk: { type: 'block-end', index, block } },
      ]
    })
  }

  #chunks(turn: number, step: number, content: readonly Fields[]): number[] {
    const { chunks = 'packed' } = this.#options
    if (chunks === 'none') return []
    const first = this.#seq + 1
    const chunk = (data: Fields): unknown => this.row('assistant/chunk', { turn, step, chunk: data })
    content.forEach((block, index) => {
      const { kind, pieces, names } = piecesOf(block, this.#options.pieceLength)
      const tool = kind === 'tool-call'
      chunk({ type: 'block-start', index, blockType: kind })
      if (chunks === 'packed' && pieces.length >= 3) {
        const tick = this.#options.tick ?? 5
        this.#push({
          type: `${kind}-chunks`, seq0: this.#seq + 1, time0: this.#clock + tick,
          data: { turn, step, index, dt: pieces.slice(1).map(() => tick), ...names, [tool ? 'args' : 'texts']: pieces },
        })
        this.#seq += pieces.length
        this.#clock += pieces.length * tick
      } else {
        for (const piece of pieces) chunk(tool ? { type: 'tool-call-delta', index, ...names, argumentsDelta: piece } : { type: `${kind}-delta`, index, text: piece })
      }
      chunk({ type: 'block-end', index, block })
    })
    chunk({ type: 'finish', reason: { kind: content.some((b) => b['type'] === 'tool-call') ? 'tool-calls' : 'stop' } })
    return Array.from({ length: this.#seq - first + 1 }, (_, i) => first + i)
  }

  /** @internal */
  toolCall(turn: number, step: number, callId: string, name: string, args: string): number {
    this.row('tool/call', { turn, step, callId, name, arguments: args })
    this.#open?.calls.push({ callId, callSeq: this.#seq })
    return this.#seq
  }

  /** @internal */
  toolResult(turn: number, step: number, callId: string, callSeq: number, outcome: unknown): void {
    this.#result(turn, step, callId, callSeq, outcome, this.id())
    if (this.#open) this.#open.calls = this.#open.calls.filter((c) => c.callId !== callId)
  }

  #result(turn: number, step: number, callId: string, callSeq: number, outcome: unknown, messageId: string): void {
    const error = outcome instanceof Failure ? outcome.error : null
    this.row('tool/result', {
      ...this.#resultData(turn, step, callId, textOf(outcome), messageId, outcome instanceof Failure), ...(error && { error }),
    }, { sourceEventSeqs: [callSeq], surfaceOp: 'append' })
    this.#calls.set(this.#seq, { turn, step, callId })
  }

  #resultData(turn: number, step: number, callId: string, text: string, id: string, isError = false): Fields {
    const content = [{ type: 'text', text }]
    const source = { kind: 'tool', callId }
    return {
      turn, step,
      message: this.format >= FIRST_FORMAT_WITH.toolRole
        ? { id, role: 'tool', source, toolCallId: callId, content, isError }
        : { id, role: 'user', source, content: [{ type: 'tool-result', toolCallId: callId, content, isError }] },
    }
  }

  #replace(type: string, data: unknown, start: number, end: number, shadowed: readonly number[]): void {
    const op = this.format >= FIRST_FORMAT_WITH.systemMessage ? { op: 'replace', startSeq: start, endSeq: end } : { op: 'replace', start, end }
    this.row(type, data, { sourceEventSeqs: shadowed, surfaceOp: op })
    const from = this.#surface.indexOf(start)
    this.#surface.splice(from, this.#surface.indexOf(end) - from + 1, this.#seq)
  }

  /** @internal */
  dispatchRow(kind: 'start' | 'end', callId: string, n: number, name: string, args: unknown, outcome?: unknown): string {
    const ptc = this.format >= FIRST_FORMAT_WITH.ptc
    const subCallId = `${callId}:${ptc ? 'ptc' : 'code'}:${n}`
    const type = `tool/${ptc ? 'ptc' : 'code'}-dispatch${kind === 'start' ? '-start' : ''}`
    const error = outcome instanceof Failure && this.format >= FIRST_FORMAT_WITH.receiptError ? outcome.error : null
    this.row(type, {
      rootCallId: callId, parentCallId: callId, subCallId, name, arguments: args,
      ...(kind === 'end' && { isError: outcome instanceof Failure, ...(error && { error }), content: [{ type: 'text', text: textOf(outcome) }] }),
    })
    return subCallId
  }

  #item(source: Source, text: string): QueuedItem & Fields {
    return { id: this.id(), role: 'user', content: [{ type: 'text', text }], source: this.#source(source) }
  }

  #source(source: Source): Source {
    if (this.format >= FIRST_FORMAT_WITH.ownSources) return source
    const { kind, ...fields } = source
    const name = kind === 'ptc-mode' && this.format === 3 ? 'tools-ptc' : (PLUGINS[kind] ?? (kind.startsWith('plugin:') ? kind.slice(7) : null))
    return name === null ? source : { kind: 'plugin', plugin: name, ...fields }
  }

  #push(row: Row): void {
    this.rows.push(row)
    this.#lines.push(JSON.stringify(row))
  }
}

/** One turn. Each call or text of its own is one step; `steps` puts several calls into one. */
export class Turn {
  readonly log: Log
  readonly turn: number
  #step = 0
  #opener: QueuedItem | null
  #end: Fields | null = { kind: 'completed' }

  constructor(writer: Log, turn: number, opener: QueuedItem | null) {
    this.log = writer
    this.turn = turn
    this.#opener = opener
  }

  wait(ms: number): this {
    this.log.wait(ms)
    return this
  }

  row(type: string, data: unknown, more: Fields = {}): this {
    this.log.row(type, data, more)
    return this
  }

  /** The model only talks. */
  says(text: string): this {
    return this.#inStep(() => this.log.assistant(this.turn, this.#step, text === '' ? [] : [{ type: 'text', text }]))
  }

  /** The human cuts the reply off: what was streamed stays, the turn ends aborted. */
  interrupted(text: string): this {
    this.#inStep(() => this.log.assistant(this.turn, this.#step, [{ type: 'text', text }], true))
    return this.ends({ kind: 'aborted', reason: { kind: 'user' } })
  }

  /** A native call. `outcome` is ignored when `body` says how it ends. */
  call(name: string, args: unknown, outcome?: unknown, body?: (call: CallWriter) => unknown): this {
    return this.steps((s) => s.call(name, args, outcome, body))
  }

  /** A `run_code` call. */
  program(code: string, body?: (call: CallWriter) => unknown, more: Fields = {}): this {
    return this.steps((s) => s.program(code, body, more))
  }

  /** Several calls of one reply, with its visible text. */
  steps(body: (step: StepWriter) => unknown, text = ''): this {
    return this.#inStep(() => {
      const step = new StepWriter(this.log, this.turn, this.#step)
      body(step)
      step.write(text)
      return step.isOpen
    })
  }

  /** A step whose rows the body writes itself. */
  bare(body: (log: Log, at: { readonly turn: number; readonly step: number }) => unknown): this {
    return this.#inStep(() => { body(this.log, { turn: this.turn, step: this.#step }) })
  }

  /** A request that failed and was tried again; the next step is the one that worked. */
  retries(count: number, failure: { code: string; status?: number; message: string } = { code: 'SERVER', status: 503, message: 'upstream is away' }): this {
    return this.#inStep(() => {
      const retryId = this.log.id('r')
      for (let retry = 1; retry <= count; retry += 1) {
        this.log.attempt(this.turn, this.#step)
        this.log.row('llm/retry', { retryId, turn: this.turn, step: this.#step, provider: 'p', mode: 'normal', policyKey: 'p/m', retry, maxRetries: count, delayMs: 1000, failure })
        this.log.wait(1000).row('llm/retry-started', { retryId, turn: this.turn, step: this.#step, retry })
      }
      this.log.assistant(this.turn, this.#step, [{ type: 'text', text: 'Back again.' }])
    })
  }

  /** The human types into the running turn. */
  steers(text: string): this {
    return this.queue({ kind: 'user' }, text)
  }

  queue(source: Source, text: string): this {
    this.log.queue(source, text)
    return this
  }

  /** The repeat reminder speaks. */
  reminder(tool: string, count: number): this {
    return this.queue({ kind: 'repeat-tool-reminder', form: 'notice', summary: `${tool} × ${count}` }, `The same call was made ${count} times.`)
  }

  /** `update_goal`, accepted: complete · blocked · edit · pause · resume. Called from a program in code mode, else natively. */
  updateGoal(action: string, reason?: string): this {
    const { goalId, revision, isCodeMode } = this.log
    if (isCodeMode) return this.program(`return await tools.update_goal(${JSON.stringify(goalArgs(goalId, revision, action, reason))})`, (c) => c.updateGoal(action, reason).returns(this.log.goalValue()))
    this.call('update_goal', goalArgs(goalId, revision, action, reason), undefined, (c) => c.changesGoal(action, reason))
    return this
  }

  ends(reason: Fields): this {
    this.#end = reason
    return this
  }

  /** The log stops here, with the turn open. */
  crashes(): this {
    this.#end = null
    return this
  }

  /** @internal */
  close(): void {
    if (this.#end) this.log.endTurn(this.turn, this.#end)
  }

  #inStep(body: () => unknown): this {
    this.#step += 1
    this.log.startStep(this.turn, this.#step, this.#opener)
    this.#opener = null
    const open = body() === true
    if (open) this.crashes()
    else this.log.endStep(this.turn, this.#step)
    return this
  }
}

interface PlannedCall { readonly callId: string; readonly name: string; readonly args: string; readonly run: (call: CallWriter) => unknown }

class StepWriter {
  readonly #log: Log
  readonly #turn: number
  readonly #step: number
  readonly #planned: PlannedCall[] = []
  isOpen = false

  constructor(writer: Log, turn: number, step: number) {
    this.#log = writer
    this.#turn = turn
    this.#step = step
  }

  call(name: string, args: unknown, outcome?: unknown, body?: (call: CallWriter) => unknown): this {
    const raw = typeof args === 'string' ? args : JSON.stringify(args)
    this.#planned.push({ callId: this.#log.id('call'), name, args: raw, run: body ?? ((c) => (outcome instanceof Failure ? c.fails(outcome) : c.returns(textOf(outcome)))) })
    return this
  }

  program(code: string, body: (call: CallWriter) => unknown = () => undefined, more: Fields = {}): this {
    return this.call('run_code', { code, description: 'Run a program', ...more }, undefined, body)
  }

  write(text: string): void {
    const blocks = this.#planned.map(({ callId, name, args }) => ({ type: 'tool-call', id: callId, name, arguments: args }))
    this.#log.assistant(this.#turn, this.#step, [...(text === '' ? [] : [{ type: 'text', text }]), ...blocks])
    for (const { callId, name, args, run } of this.#planned) {
      const call = new CallWriter(this.#log, this.#turn, this.#step, callId, name, args)
      run(call)
      call.close()
      this.isOpen ||= call.isOpen
      if (call.isOpen) return
    }
  }
}

/** One call while it runs: what its program dispatches, then how it ends. Without an end a program printed and returned nothing. */
export class CallWriter {
  readonly log: Log
  readonly callId: string
  readonly #turn: number
  readonly #step: number
  readonly #callSeq: number
  readonly #printed: string[] = []
  readonly #started = new Map<number, { name: string; args: unknown }>()
  #n = 0
  #outcome: { readonly value: unknown } | null = null
  isOpen = false

  constructor(writer: Log, turn: number, step: number, callId: string, name: string, args: string) {
    this.log = writer
    this.#turn = turn
    this.#step = step
    this.callId = callId
    this.#callSeq = writer.toolCall(turn, step, callId, name, args)
  }

  wait(ms: number): this {
    this.log.wait(ms)
    return this
  }

  row(type: string, data: unknown): this {
    this.log.row(type, data)
    return this
  }

  /** A nested call that settles at once, or after `ms`. */
  dispatch(name: string, args: unknown, outcome: unknown = '', ms = 0): this {
    return this.start(name, args).wait(ms).settle(this.#n, outcome)
  }

  /** Starts nested call number 1, 2, …; settle it by its number, in any order, or never. */
  start(name: string, args: unknown): this {
    this.#n += 1
    this.#started.set(this.#n, { name, args })
    this.log.dispatchRow('start', this.callId, this.#n, name, args)
    return this
  }

  settle(n: number, outcome: unknown = ''): this {
    const { name, args } = this.#started.get(n) ?? { name: 'unknown', args: {} }
    this.log.dispatchRow('end', this.callId, n, name, args, outcome)
    return this
  }

  /** A nested question to the human, answered after `ms` (or failed). */
  ask(items: readonly QuestionItem[], chosen: Parameters<typeof answers>[1] | Failure, ms = 60_000): this {
    return this.dispatch('ask_user_question', { questions: items }, chosen instanceof Failure ? chosen : answers(items, chosen), ms)
  }

  /** A nested `update_goal` that is accepted. */
  updateGoal(action: string, reason?: string): this {
    const { goalId, revision } = this.log
    this.start('update_goal', goalArgs(goalId, revision, action, reason))
    const n = this.#n
    return this.#goalRows(action, reason).settle(n, this.log.goalValue())
  }

  /** This native call is an `update_goal` that is accepted. */
  changesGoal(action: string, reason?: string): this {
    return this.#goalRows(action, reason).returns(textOf(this.log.goalValue()))
  }

  #goalRows(action: string, reason?: string): this {
    this.log.goalChange(action === 'blocked' ? 'block' : action, reason === undefined ? {} : { message: reason })
    if (action === 'blocked' || action === 'complete') this.#wrapUp = { kind: 'tool-goal', form: 'notice', summary: `${action}: the goal` }
    return this
  }

  #wrapUp: Source | null = null

  approval(toolName: string, outcome: string, callId = this.callId, ms = 0): this {
    const id = this.log.id('ap')
    this.log.row('approval/asked', { id, toolName, callId, reason: 'needs approval' }).wait(ms).row('approval/decided', { id, outcome })
    return this
  }

  hook(decision: string, stderrSummary = ''): this {
    const hook = { turn: this.#turn, point: 'PreToolUse', handlerId: this.log.id('h') }
    this.log.row('hook/invoked', { ...hook, dialect: 'claude-code', matcher: '*' }).row('hook/result', { ...hook, decision, exitCode: decision === 'block' ? 2 : 0, stderrSummary, durationMs: 5 })
    return this
  }

  prints(line: string): this {
    this.#printed.push(line)
    return this
  }

  /** Text as is; anything else as the harness prints it (JSON, indented by two). */
  returns(value: unknown): this {
    this.#outcome = { value: value instanceof Failure ? value : textOf(value, 2) }
    return this
  }

  /** `fails('exception', 'TypeError: …')` for a program, or a `Failure` for any call. */
  fails(kind: string | Failure, message = ''): this {
    const captured = this.#printed.length > 0 ? `\nCaptured output:\n${this.#printed.splice(0).join('\n')}` : ''
    this.#outcome = { value: kind instanceof Failure ? kind : fail(`code run failed (${kind}): ${message}${captured}`, 'CODE_RUN_FAILED', 'CodeRunFailedError') }
    return this
  }

  /** The call never gets a result: the log stops in it. */
  open(): this {
    this.isOpen = true
    return this
  }

  /** @internal */
  close(): void {
    if (this.isOpen) return
    const value = this.#outcome?.value
    const text = value instanceof Failure ? value : [this.#printed.join('\n'), textOf(value ?? '')].filter((part) => part !== '').join('\n')
    this.log.toolResult(this.#turn, this.#step, this.callId, this.#callSeq, text === '' ? '(run_code completed with no output)' : text)
    if (this.#wrapUp) this.log.queue(this.#wrapUp, 'The goal changed: close with a short message.')
  }
}

/** A block as it was streamed. */
function piecesOf(block: Fields, length = 24): { readonly kind: string; readonly pieces: readonly string[]; readonly names: Fields } {
  const kind = String(block['type'])
  const text = block[kind === 'tool-call' ? 'arguments' : 'text']
  return {
    kind,
    pieces: typeof text === 'string' ? (text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []) : [],
    names: kind === 'tool-call' ? { id: block['id'], name: block['name'] } : {},
  }
}

function goalArgs(goalId: string, revision: number, action: string, reason?: string): Fields {
  return { goal_id: goalId, revision, action, ...(reason !== undefined && { blocked_reason: reason }) }
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object'
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : -1
}

/** Seq of the last event of a row; a packed one covers several. */
function lastSeqOf(row: Row): number {
  const data = row['data']
  const members = isFields(data) ? (data['texts'] ?? data['args']) : undefined
  return row['seq0'] === undefined ? numberOf(row['seq']) : numberOf(row['seq0']) + (Array.isArray(members) ? members.length - 1 : 0)
}

/** Bytes of a log, decoded and folded by the product's own reader; fed in pieces of `pieceSize` bytes. */
export async function readSession(bytes: Uint8Array, pieceSize = bytes.length): Promise<Session> {
  const builder = new SessionBuilder('session.jsonl')
  await decodeLog(inPieces(bytes, pieceSize), 'session.jsonl', builder)
  return builder.finish()
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
