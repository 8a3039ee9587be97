/**
 * Sealed replay: the recorded program runs again in an interpreter without I/O, first with the recorded receipts (its
 * calls and outer text must be the recorded ones, else replay is void), then with other answers. What changes, depends.
 */
import { Worker } from 'node:worker_threads'
import { type Answer, type AskedItem, type OtherAnswer, otherAnswers, QUESTION_TOOL, receiptWith, valuesOf } from './answers.ts'
import { occurrencesIn, standsLiterally } from './literal.ts'
import { isWhole, VARIANTS } from './receipts.ts'
import type { FinishedRun, Run, RunLimits, RunRequest } from './replay-protocol.ts'
import type { ItemReplay, NestedCall, ResultText } from './types.ts'

export interface ReplayRequest {
  /** Body without types. */
  readonly javascript: string
  readonly calls: readonly NestedCall[]
  readonly outer: ResultText
  readonly items: readonly AskedItem[]
}

export type ReplayResult =
  /** `items` in the order of the request; null: no answer to vary. `outerText`: complete, also when the recorded one was cut. */
  | { readonly valid: true; readonly outerText: string; readonly items: readonly (ItemReplay | null)[] }
  | { readonly valid: false; readonly because: string }

export interface Replayer {
  replay(request: ReplayRequest): Promise<ReplayResult>
  /** One run with the recorded receipts, for a changed program; null: it did not finish. */
  outerTextOf(javascript: string, calls: readonly NestedCall[]): Promise<string | null>
  close(): Promise<void>
}

const LIMITS: RunLimits = { polls: 300, outputChars: 1 << 20, calls: 500 }
/**
 * Work is limited by polls, the same on every machine. They do not happen inside built-ins: a run that keeps the processor
 * busy for this long is killed with its thread. On a loaded machine a run waits for the processor; that is no work.
 */
const KILL_AFTER_BUSY_MS = 4_000
const KILL_AFTER_MS = 60_000
const LOOK_EVERY_MS = 500
/** Limits of one program: runs, as many as 64 items with a dozen other answers need, and their work together. */
const MAX_RUNS = 800
const MAX_POLLS = 2_000
const NO_OUTPUT = '(run_code completed with no output)'

export function createReplayer(): Replayer {
  const thread = createThread()
  const run = (request: Omit<RunRequest, 'limits'>): Promise<Run> => thread.run({ ...request, limits: LIMITS })
  return {
    async replay({ javascript, calls, outer, items }) {
      let because = ''
      for (let variant = 0; variant < VARIANTS; variant++) {
        const base = await run({ javascript, calls, variant, answer: null })
        const difference = base.kind === 'void' ? base.because : differs(outer, base)
        if (base.kind === 'finished' && difference === null) return vary(run, { javascript, calls, variant }, base, outer, items)
        because ||= difference ?? ''
        if (calls.every((c) => c.tool === QUESTION_TOOL)) break
      }
      return { valid: false, because }
    },
    async outerTextOf(javascript, calls) {
      for (let variant = 0; variant < VARIANTS; variant++) {
        const again = await run({ javascript, calls, variant, answer: null })
        if (again.kind === 'finished') return outerText(again)
      }
      return null
    },
    close: () => thread.close(),
  }
}

// ---- one program ----

type RunWith = (request: Omit<RunRequest, 'limits'>) => Promise<Run>

async function vary(run: RunWith, program: Pick<RunRequest, 'javascript' | 'calls' | 'variant'>, base: FinishedRun, outer: ResultText, items: readonly AskedItem[]): Promise<ReplayResult> {
  // Where only the engine's wording of an error differs, the recorded text is the true one.
  const text = isWhole(outer) ? outer.text : outerText(base)
  const replays: (ItemReplay | null)[] = []
  let runs = 0
  let polls = base.polls
  for (const item of items) {
    const { answer } = item
    if (answer === null || valuesOf(answer).length === 0) {
      replays.push(null)
      continue
    }
    const outcomes: Outcome[] = []
    for (const other of otherAnswers(item, answer)) {
      const changed = await run({ ...program, answer: { subCallId: item.call.subCallId, text: receiptWith(item, other.answer) } })
      polls += changed.polls
      if (++runs > MAX_RUNS || polls > MAX_POLLS) return { valid: false, because: 'it works too long with other answers' }
      outcomes.push(compare(base, other, changed))
    }
    replays.push(judge(text, answer, base, outcomes))
  }
  return { valid: true, outerText: text, items: replays }
}

interface Outcome {
  readonly other: OtherAnswer
  /** Null: the run was not finished. */
  readonly text: string | null
  /** Null: not known. */
  readonly textChanged: boolean | null
  readonly callsChanged: boolean
  readonly assumedResults: boolean
}

function compare(base: FinishedRun, other: OtherAnswer, changed: Run): Outcome {
  const callsChanged = JSON.stringify(changed.calls) !== JSON.stringify(base.calls)
  // The recorded run ended.
  if (changed.kind === 'void') return { other, text: null, textChanged: changed.endless ? true : null, callsChanged, assumedResults: callsChanged }
  const text = outerText(changed)
  return { other, text, textChanged: text !== outerText(base), callsChanged, assumedResults: changed.assumedResults }
}

/** Null: the runs do not tell. */
function judge(text: string, answer: Answer, base: FinishedRun, outcomes: readonly Outcome[]): ItemReplay | null {
  const same = outcomes.filter((o) => o.other.sameKind)
  const rest = outcomes.filter((o) => !o.other.sameKind)
  const values = valuesOf(answer)
  const outerDepends = same.some((o) => o.textChanged === true)
  if (!outerDepends && same.some((o) => o.textChanged === null)) return null
  const callsDepend = same.some((o) => o.callsChanged)
  const own = outerText(base)
  // An invented value stands nowhere by chance, also as a part of a word: `${'12'}px` holds its 12.
  const followed = values.map((_, at) => same.some(({ other: { invented }, text: t }) => invented?.at === at && t !== null
    && occurrencesIn(t).countAnywhere(invented.value) > occurrencesIn(own).countAnywhere(invented.value)))
  const valuesLiteral = values.map((value, at) => (followed[at] === true
    ? standsLiterally(text, value)
    : outerDepends && chosenText(value, at, text, own, same)))
  const literal = valuesLiteral.filter(Boolean).length
  return {
    fate: literal === values.length ? 'delivered' : literal > 0 ? 'partial' : outerDepends ? 'derived' : callsDepend ? 'consumed' : 'dropped',
    outerDepends, callsDepend, valuesLiteral,
    outerDependsOnKind: rest.some((o) => o.textChanged === true),
    callsDependOnKind: rest.some((o) => o.callsChanged),
    fixedTexts: literal > 0 && !followed.some((f, at) => f && valuesLiteral[at] === true),
    assumedResults: outcomes.some((o) => o.assumedResults),
    runs: outcomes.length,
  }
}

/**
 * The value goes when it is no longer chosen, though no invented one comes in its place: the program has texts of its own
 * or filters. For a choice of one, the other offered labels must show in their texts alike, else it is chance.
 */
function chosenText(value: string, at: number, recorded: string, base: string, outcomes: readonly Outcome[]): boolean {
  const count = occurrencesIn(recorded).count(value)
  return count > 0 && outcomes.some(({ other: { offered, dropped }, text }) => text !== null && occurrencesIn(text).count(value) < count
    && (dropped === at || (offered !== null && occurrencesIn(text).count(offered) > occurrencesIn(base).count(offered))))
}

// ---- outer text ----

function outerText(run: FinishedRun): string {
  const logs = run.logs.join('\n')
  if (run.failure === null) return [logs, run.text].filter((part) => part !== '').join('\n') || NO_OUTPUT
  return `Error: code run failed (${run.failure}): ${run.text}${run.logs.length > 0 ? `\nCaptured output:\n${logs}` : ''}`
}

/** Null: the run gave the recorded outer text. */
function differs(outer: ResultText, run: FinishedRun): string | null {
  if (outer.isError !== (run.failure !== null)) return outer.isError ? 'the recorded run failed, the replayed one did not' : `the replayed run failed: ${run.text}`
  const replayed = withoutFrames(outerText(run))
  const recorded = withoutFrames(outer.text)
  if (!isWhole(outer)) return isCutOf(outerText(run), outer) ? null : 'the replayed output is not the recorded one'
  if (sameButSandboxLines(recorded, replayed) || (replayed === NO_OUTPUT && sameButSandboxLines(recorded, ''))) return null
  const wording = failureClass(recorded)
  if (wording !== null && wording === failureClass(replayed) && sameButSandboxLines(capturedOutput(recorded), capturedOutput(replayed))) return null
  return 'the replayed output is not the recorded one'
}

/** Stack frames belong to the machine. */
function withoutFrames(text: string): string {
  return text.replace(/\n +at [^\n]*?( \{)?(?=\n|$)/g, '$1')
}

/** From 0.1.7 on the harness adds lines about its file sandbox at the end. */
function sameButSandboxLines(recorded: string, replayed: string): boolean {
  if (!recorded.startsWith(replayed)) return false
  const rest = recorded.slice(replayed.length)
  return rest === '' || ((replayed === '' || rest.startsWith('\n')) && /^\n?[^\n]*file sandbox/i.test(rest))
}

/** Engines word their own errors differently, and later harnesses say more about invalid output: the class is the same. */
function failureClass(text: string): string | null {
  return /^Error: code run failed \((?:exception\): (?:Type|Reference|Range|Syntax)Error: |invalid-output\))/.exec(text)?.[0] ?? null
}

function capturedOutput(text: string): string {
  const at = text.indexOf('\nCaptured output:\n')
  return at === -1 ? '' : text.slice(at)
}

/** The recorded text is head and tail of the replayed one without a seam. */
function isCutOf(whole: string, outer: ResultText): boolean {
  const bytes = Buffer.from(whole)
  const kept = Buffer.from(outer.text)
  if (bytes.length !== kept.length + (outer.omittedBytes ?? 0)) return false
  let head = 0
  while (head < kept.length && kept[head] === bytes[head]) head++
  const offset = bytes.length - kept.length
  for (let i = head; i < kept.length; i++) if (kept[i] !== bytes[i + offset]) return false
  return true
}

// ---- the thread ----

interface Thread {
  run(request: RunRequest): Promise<Run>
  close(): Promise<void>
}

/** One worker thread, started on demand and again after a kill; runs are done one after the other. */
function createThread(): Thread {
  let worker: Worker | null = null
  let finish: ((run: Run) => void) | null = null
  let queue: Promise<unknown> = Promise.resolve()
  const start = (): Worker => {
    // Tests run the sources: threads cannot, so theirs comes from the build.
    const file = import.meta.url.endsWith('.ts') ? '../../dist/programs/replay-worker.js' : './replay-worker.js'
    const started = new Worker(new URL(file, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 256 }, env: {}, stdout: true, stderr: true, execArgv: [] })
    const broken = (): void => {
      if (worker !== started) return
      worker = null
      finish?.(voidRun('the sealed interpreter broke down'))
    }
    started.on('message', (run: Run) => finish?.(run))
    started.on('error', broken)
    started.on('exit', broken)
    return started
  }
  const runNow = async (request: RunRequest): Promise<Run> => {
    const current = (worker ??= start())
    current.ref()
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve) => {
        finish = resolve
        const before = process.cpuUsage()
        let looks = 0
        timer = setInterval(() => {
          const { user, system } = process.cpuUsage(before)
          const elapsed = ++looks * LOOK_EVERY_MS
          // Other threads of this process count too, so both clocks must have run.
          if (Math.min(elapsed, (user + system) / 1_000) < KILL_AFTER_BUSY_MS && elapsed < KILL_AFTER_MS) return
          worker = null
          void current.terminate()
          resolve(voidRun('it works too long'))
        }, LOOK_EVERY_MS)
        current.postMessage(request)
      })
    } finally {
      clearInterval(timer)
      // An idle thread does not keep the process alive.
      current.unref()
    }
  }
  return {
    run(request) {
      const result = queue.then(() => runNow(request))
      queue = result
      return result
    },
    async close() {
      await queue
      const last = worker
      worker = null
      await last?.terminate()
    },
  }
}

function voidRun(because: string): Run {
  return { kind: 'void', because, endless: true, calls: [], polls: MAX_POLLS }
}
