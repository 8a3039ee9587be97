/**
 * Sealed replay: the recorded program runs again in an interpreter without I/O, first with the recorded receipts (its
 * calls and outer text must be the recorded ones, else replay is void), then with other answers. What changes, depends.
 */
import { type Answer, type AskedItem, type OtherAnswer, otherAnswers, QUESTION_TOOL, receiptWith, valuesOf } from './answers.ts'
import { occurrencesIn, standsLiterally } from './literal.ts'
import { isWhole, VARIANTS } from './receipts.ts'
import type { ChangedReceipt, FinishedRun, ReplayedProgram, Run } from './replay-protocol.ts'
import { createReplayThread, MAX_POLLS, type ReplayThread } from './replay-thread.ts'
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
  rest(): Promise<void>
  close(): Promise<void>
}

/** Runs of one program: as many as 64 items with a dozen other answers need. */
const MAX_RUNS = 800
const NO_OUTPUT = '(run_code completed with no output)'

export function createReplayer(): Replayer {
  const thread = createReplayThread()
  return {
    async replay({ javascript, calls, outer, items }) {
      let because = ''
      for (let variant = 0; variant < VARIANTS; variant++) {
        const program = { javascript, calls, variant }
        const base = await asRecorded(thread, program)
        const difference = base.kind === 'void' ? base.because : differs(outer, base)
        if (base.kind === 'finished' && difference === null) return vary(thread, program, base, outer, items)
        because ||= difference ?? ''
        if (calls.every((c) => c.tool === QUESTION_TOOL)) break
      }
      return { valid: false, because }
    },
    async outerTextOf(javascript, calls) {
      for (let variant = 0; variant < VARIANTS; variant++) {
        const again = await asRecorded(thread, { javascript, calls, variant })
        if (again.kind === 'finished') return outerText(again)
      }
      return null
    },
    rest: () => thread.rest(),
    close: () => thread.close(),
  }
}

// ---- one program ----

async function asRecorded(thread: ReplayThread, program: ReplayedProgram): Promise<Run> {
  const [run] = await thread.run(program, [null], MAX_POLLS)
  return run ?? { kind: 'void', because: 'it was not run', endless: false, calls: [], polls: 0 }
}

async function vary(thread: ReplayThread, program: ReplayedProgram, base: FinishedRun, outer: ResultText, items: readonly AskedItem[]): Promise<ReplayResult> {
  // Where only the engine's wording of an error differs, the recorded text is the true one.
  const text = isWhole(outer) ? outer.text : outerText(base)
  const varied = items.map((item) => ({ item, others: item.answer === null || valuesOf(item.answer).length === 0 ? [] : otherAnswers(item, item.answer) }))
  const receipts = varied.flatMap(({ item, others }): ChangedReceipt[] => others.map((o) => ({ subCallId: item.call.subCallId, text: receiptWith(item, o.answer) })))
  const runs = receipts.length > MAX_RUNS ? [] : await thread.run(program, receipts, MAX_POLLS - base.polls)
  const work = runs.reduce((polls, run) => polls + run.polls, base.polls)
  if (runs.length < receipts.length || work > MAX_POLLS) return { valid: false, because: 'it works too long with other answers' }
  let at = 0
  return {
    valid: true, outerText: text,
    items: varied.map(({ item: { answer }, others }) => {
      const outcomes = others.flatMap((other): Outcome[] => {
        const changed = runs[at++]
        return changed ? [compare(base, other, changed)] : []
      })
      return answer === null || outcomes.length === 0 ? null : judge(text, answer, base, outcomes)
    }),
  }
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
