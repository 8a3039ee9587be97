/** Healthy runs of every kind, with a place where a fault can be put. */
import { Failure, answers, log, question, type CallWriter, type Log, type LogOptions, type QuestionItem, type Turn } from '../support/log.ts'

export type Mode = 'native' | 'code'

export interface Kind {
  readonly name: string
  readonly mode: Mode
  readonly options: LogOptions
}

const WRITINGS: Readonly<Record<string, LogOptions>> = {
  'v0 packed': { format: 0, chunks: 'packed' },
  'v0 unpacked': { format: 0, chunks: 'single' },
  v3: { format: 3 },
  'v3 with streams': { format: 3, streams: true },
  v4: { format: 4 },
}
export const NATIVE_TOOLS = ['ask_user_question', 'read', 'write', 'edit', 'bash', 'job_output', 'get_goal', 'update_goal', 'exit_plan_mode']

/** How the tools are called × how the log is written. */
export const kinds: readonly Kind[] = (['native', 'code'] as const).flatMap((mode) => Object.entries(WRITINGS).map(([name, options]) => (
  { name: `${mode} ${name}`, mode, options: mode === 'native' ? { ...options, tools: NATIVE_TOOLS } : options })))

/** One log being written in the manner of its kind. */
export class Run {
  readonly log: Log
  readonly mode: Mode
  constructor({ mode, options }: Kind) {
    this.mode = mode
    this.log = log(options)
  }

  /** The model calls a tool and is given its outcome: natively, or by a program that returns it. */
  call(turn: Turn, name: string, args: unknown, outcome: unknown, ms = 0): Turn {
    if (this.mode === 'native') return turn.call(name, args, undefined, (c) => c.wait(ms).returns(compact(outcome)))
    return turn.program(`return await tools.${name}(${JSON.stringify(args)})`, (p) => passOn(p.dispatch(name, args, outcome, ms), outcome))
  }

  /** The human answers, and the model gets what they say. */
  ask(turn: Turn, items: readonly QuestionItem[], chosen: Parameters<typeof answers>[1] | Failure, ms = 60_000): Turn {
    return this.call(turn, 'ask_user_question', { questions: items }, chosen instanceof Failure ? chosen : answers(items, chosen), ms)
  }

  /** Seqs of the calls so far, be they native or nested. */
  get calls(): readonly number[] {
    return this.log.seqs(this.mode === 'native' ? 'tool/call' : 'dispatch/start')
  }

  lastCall(): number {
    return this.calls.at(-1) ?? -1
  }

  lastResult(): number {
    return this.log.seqs('tool/result').at(-1) ?? -1
  }
}

function compact(outcome: unknown): unknown {
  return outcome instanceof Failure || typeof outcome === 'string' ? outcome : JSON.stringify(outcome)
}

function passOn(call: CallWriter, outcome: unknown): CallWriter {
  return outcome instanceof Failure ? call.fails('exception', outcome.text.replace(/^Error:/, 'ToolCallError:')) : call.returns(outcome)
}

/** Something new: a file of its own. */
export function work(run: Run, turn: Turn, part: number): Turn {
  return run.call(turn, 'write', { file_path: `src/crane-${part}.ts`, content: `export const load${part} = ${part * part}\n` }, `Wrote src/crane-${part}.ts`).says(`Part ${part} is in place.`)
}

const crane = question('crane', 'Where does the crane stand?', ['North quay', 'South quay'])

function opening(run: Run): void {
  run.log.user('Get to know the harbour.', (t) => {
    run.call(t, 'read', { file_path: 'docs/harbour.md' }, '# Harbour\nTwo quays, one crane.')
    run.ask(t, [crane], { crane: 'North quay' }).says('The crane stands on the north quay.')
  })
}

function testAndFix(run: Run, turn: Turn): Turn {
  const test = { command: 'npm test' }
  run.call(turn, 'bash', test, '1 failed: lifts nothing', 4000)
  run.call(turn, 'edit', { file_path: 'src/crane-1.ts', old_string: '= 1', new_string: '= 2' }, 'Edited src/crane-1.ts')
  return run.call(turn, 'bash', test, '7 passed', 4000).says('All tests pass.')
}

export interface Planted {
  /** Nothing comes after it. */
  readonly ends?: boolean
  readonly plant: (run: Run) => void
}
const NOTHING: Planted = { plant: () => undefined }

/** The healthy runs; a fault is planted after some work, and more work follows. */
export const healthyRuns: Readonly<Record<'conversation' | 'goal run', (kind: Kind, fault?: Planted) => Run>> = {
  conversation: (kind, fault = NOTHING) => {
    const run = new Run(kind)
    opening(run)
    run.log
      .user('Build the first part.', (t) => { work(run, t, 1) })
      .user('Test it.', (t) => { t.steers('Only the lift, please.').retries(1); testAndFix(run, t) })
      .compact('The first part of the crane is built and tested.')
    fault.plant(run)
    if (!fault.ends) run.log.user('Build the next part.', (t) => { work(run, t, 2) })
    return run
  },
  'goal run': (kind, fault = NOTHING) => {
    const run = new Run(kind)
    const poll = (t: Turn, state: string): Turn => run.call(t, 'job_output', { job_id: 'bash-1' }, state)
    opening(run)
    run.log.goal('Build a crane that lifts', 40)
      .round((r) => { work(run, r, 1) })
      .round((r) => { testAndFix(run, r.retries(1)) })
      .round((r) => { poll(r, '[status: running]').says('The model of the crane is being computed.') })
      .round((r) => { poll(r, '[status: running]').says('It takes its time.') })
      .round((r) => { poll(r, '[status: completed, exit code 0]\nmodel.bin').says('The model is there.') })
      .user('How is it going?', (t) => t.says('Well: the first part lifts.'))
      .round((r) => { work(run, r, 2) })
      .compact('The first two parts of the crane are built and tested.')
    fault.plant(run)
    if (!fault.ends) run.log.round((r) => { work(run, r, 3) }).round((r) => r.updateGoal('complete').says('The crane lifts.'))
    return run
  },
}
