/** Worker thread of the replayer: runs of one program in the sealed interpreter per message. */
import { isDeepStrictEqual } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSContext, type QuickJSHandle, type QuickJSWASMModule } from 'quickjs-emscripten-core'
import { GUEST } from './guest.ts'
import { formatLog } from './inspect.ts'
import { AssumedWorld } from './assumed-world.ts'
import { serve, type Served } from './receipts.ts'
import type { MadeCall, Run, RunBatch, RunRequest } from './replay-protocol.ts'
import type { NestedCall } from './types.ts'

// The interpreter asks the host for the local time zone: the same bytes everywhere need one zone.
for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const) Reflect.set(Date.prototype, `get${part}`, Date.prototype[`getUTC${part}`])
Reflect.set(Date.prototype, 'getTimezoneOffset', () => 0)

const PAGE = 64 * 1024
/**
 * The interpreter's memory; its own accounting does not see what it asks of the system. All of it is there from the start:
 * how far a memory can grow depends on how it grew before, and a run must not feel those before it. Untouched pages cost nothing.
 */
const PAGES = 1280

const port = parentPort
const interpreter = startInterpreter()
port?.on('message', (batch: RunBatch) => void answer(batch))

async function answer(batch: RunBatch): Promise<void> {
  for (const run of runs(await interpreter, batch)) port?.postMessage(run)
  port?.postMessage('done')
}

function* runs(ready: Interpreter, { receipts, polls, ...program }: RunBatch): Generator<Run> {
  let work = 0
  for (const receipt of receipts) {
    const run = ready.run({ ...program, receipt })
    work += run.polls
    if (work > polls) return
    yield run
  }
}

async function startInterpreter(): Promise<Interpreter> {
  const { default: variant } = await import('@jitl/quickjs-wasmfile-release-sync')
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES })
  // Its types describe the CommonJS build, where the variant is one `default` deeper.
  return new Interpreter(await newQuickJSWASMModuleFromVariant(newVariant('default' in variant ? variant.default : variant, { wasmMemory: memory })))
}

/**
 * One interpreter for all runs: its memory is put back to the state right after the guest environment was set up, so that
 * every run begins in the same fresh world. Much cheaper than a new one, and nothing of a program can stay behind.
 */
class Interpreter {
  readonly #memory: WebAssembly.Memory
  readonly #context: QuickJSContext
  readonly #guest: QuickJSHandle
  /** Parts of the memory that are not all zero. */
  readonly #image: readonly { readonly at: number; readonly bytes: Uint8Array }[]
  #state: RunState | null = null

  constructor(module: QuickJSWASMModule) {
    this.#memory = module.getWasmMemory()
    const runtime = module.newRuntime()
    runtime.setMaxStackSize(512 * 1024)
    runtime.setInterruptHandler(() => this.#state?.poll() ?? false)
    this.#context = runtime.newContext()
    const host = hostFunctions(this.#context, () => this.#state)
    const setUp = this.#context.unwrapResult(this.#context.evalCode(GUEST, 'guest', { strict: true }))
    this.#guest = this.#context.unwrapResult(this.#context.callFunction(setUp, this.#context.undefined, host))
    this.#image = imageOf(new Uint8Array(this.#memory.buffer))
  }

  run(request: RunRequest): Run {
    const memory = new Uint8Array(this.#memory.buffer)
    for (const { at, bytes } of this.#image) memory.set(bytes, at)
    this.#state = new RunState(request)
    return this.#state.execute(this.#context, this.#guest)
  }
}

function imageOf(memory: Uint8Array): { at: number; bytes: Uint8Array }[] {
  const zeros = new Uint8Array(PAGE)
  const image: { at: number; bytes: Uint8Array }[] = []
  for (let at = 0; at < memory.length; at += PAGE) {
    const bytes = memory.subarray(at, at + PAGE)
    if (Buffer.compare(bytes, zeros) !== 0) image.push({ at, bytes: bytes.slice() })
  }
  return image
}

/** Timers and chains of jobs do little that is polled: their number is limited instead. */
const MAX_ROUNDS = 1_000
const JOBS_PER_ROUND = 500

class RunState {
  readonly #request: RunRequest
  readonly #calls: MadeCall[] = []
  readonly #logs: string[] = []
  readonly #deliveries: { readonly n: number; readonly served: Served }[] = []
  /** Recorded calls by position that were served already. */
  readonly #served = new Set<number>()
  readonly #world: AssumedWorld
  #stopped: string | null = null
  #endless = false
  #settled: { readonly kind: string; readonly text: string } | null = null
  #polls = 0
  #outputChars = 0
  #assumed = false

  constructor(request: RunRequest) {
    this.#request = request
    this.#world = new AssumedWorld(request.calls)
  }

  poll(): boolean {
    if (++this.#polls > this.#request.limits.polls) this.#stop('it works too long', true)
    return this.#stopped !== null
  }

  #stop(because: string, endless = false): void {
    if (this.#stopped !== null) return
    this.#stopped = because
    this.#endless = endless
  }

  execute(context: QuickJSContext, guest: QuickJSHandle): Run {
    const main = context.evalCode(`(async function () { ${this.#request.javascript}\n})()`, 'program', { strict: true })
    if (main.error) {
      main.error.dispose()
      this.#stop('the sealed interpreter cannot compile it')
    } else {
      this.#invoke(context, guest, 'watch', main.value)
      main.value.dispose()
      this.#drive(context, guest)
    }
    return this.#outcome()
  }

  /** Jobs first, then results of calls in order of submission, then timers. */
  #drive(context: QuickJSContext, guest: QuickJSHandle): void {
    for (let rounds = 0; this.#stopped === null; rounds++) {
      if (rounds > MAX_ROUNDS) return this.#stop('it works too long', true)
      const jobs = context.runtime.executePendingJobs(JOBS_PER_ROUND)
      if (jobs.error) {
        jobs.error.dispose()
        this.#stop('a job failed')
      }
      if (this.#stopped !== null || this.#settled !== null) return
      if (jobs.error === undefined && jobs.value === JOBS_PER_ROUND) continue
      const next = this.#deliveries.shift()
      if (next) {
        const text = next.served.kind === 'value' ? next.served.json : next.served.kind === 'error' ? next.served.message : ''
        const args = [context.newNumber(next.n), context.newString(next.served.kind), context.newString(text)]
        this.#invoke(context, guest, 'deliver', ...args)
        for (const a of args) a.dispose()
      } else if (!this.#invoke(context, guest, 'tick')) {
        this.#settled = { kind: 'stuck', text: '' }
      }
    }
  }

  #invoke(context: QuickJSContext, guest: QuickJSHandle, name: string, ...args: QuickJSHandle[]): boolean {
    const fn = context.getProp(guest, name)
    const result = context.callFunction(fn, context.undefined, ...args)
    fn.dispose()
    if (result.error) {
      result.error.dispose()
      this.#stop('a callback of a timer failed')
      return true
    }
    const truth: unknown = context.dump(result.value)
    result.value.dispose()
    return truth !== false
  }

  /** False: the run is over, nothing of it counts any more. */
  get goesOn(): boolean {
    return this.#stopped === null
  }

  stop(because: string): void {
    this.#stop(`it ${because}`)
  }

  settle(kind: string, text: string): void {
    this.#settled ??= { kind, text }
  }

  call(n: number, tool: string, args: string): void {
    const made = { tool, arguments: args }
    this.#calls.push(made)
    const served = this.#serve(made)
    if (served) this.#deliveries.push({ n, served })
  }

  log(line: string): void {
    this.#outputChars += line.length + 1
    if (this.#outputChars > this.#request.limits.outputChars) this.#stop('it prints too much', true)
    else this.#logs.push(line)
  }

  /** Null: the call never settles. */
  #serve(made: MadeCall): Served | null {
    const { calls, receipt, limits, variant } = this.#request
    const position = this.#calls.length - 1
    const same = (c: NestedCall | undefined): boolean => c !== undefined && c.tool === made.tool && (made.arguments === '' || isDeepStrictEqual(JSON.parse(made.arguments), c.arguments))
    let at = same(calls[position]) && !this.#served.has(position) ? position : -1
    if (at === -1 && receipt === null) {
      this.#stop(position < calls.length ? `its call ${position + 1} (${made.tool}) is not the recorded one` : `it makes more calls than recorded (${made.tool})`)
      return null
    }
    if (at === -1) at = calls.findIndex((c, i) => !this.#served.has(i) && same(c))
    if (at === -1) at = calls.findIndex((c) => same(c))
    const recorded = calls[at]
    if (recorded) {
      this.#served.add(at)
      if (receipt?.subCallId === recorded.subCallId) return serve(recorded, { isError: false, text: receipt.text }, variant)
      const result = this.#world.again(recorded)
      return result && serve(recorded, result, variant)
    }
    this.#assumed = true
    if (position >= limits.calls) this.#stop('it makes too many calls', true)
    const call = { tool: made.tool, arguments: JSON.parse(made.arguments) }
    const assumed = this.#world.instead(call, position)
    return assumed === null ? { kind: 'opaque' } : serve(call, assumed, variant)
  }

  #outcome(): Run {
    const { calls, receipt } = this.#request
    if (this.#stopped === null && receipt === null && this.#calls.length < calls.length) this.#stop(`it makes ${this.#calls.length} of ${calls.length} recorded calls`)
    if (this.#stopped !== null || this.#settled === null) return { kind: 'void', because: this.#stopped ?? 'it did not end', endless: this.#endless, calls: this.#calls, polls: this.#polls }
    const { kind, text } = this.#settled
    const failure = kind === 'exception' || kind === 'invalid-output' || kind === 'stuck' ? kind : null
    const rendered = kind === 'value' && text !== '' ? render(JSON.parse(text), 0) : text
    return { kind: 'finished', failure, text: failure === 'invalid-output' ? 'program completion must be lossless JSON' : rendered, logs: this.#logs, calls: this.#calls, assumedResults: this.#assumed, polls: this.#polls }
  }
}

/** What the guest environment may ask of the host; see `guest.ts`. */
function hostFunctions(context: QuickJSContext, state: () => RunState | null): QuickJSHandle {
  const host = context.newObject()
  const define = (name: string, body: (...args: QuickJSHandle[]) => QuickJSHandle | void): void => {
    const fn = context.newFunction(name, (...args) => body(...args) ?? (state()?.goesOn === true ? context.undefined : context.false))
    context.setProp(host, name, fn)
    fn.dispose()
  }
  const text = (handle: QuickJSHandle | undefined): string => (handle ? context.getString(handle) : '')
  const number = (handle: QuickJSHandle | undefined): number => context.getNumber(handle ?? context.undefined)
  define('stop', (because) => state()?.stop(text(because)))
  define('log', (encoded, raw) => state()?.log(context.dump(raw ?? context.false) === true ? text(encoded) : formatLog(text(encoded))))
  define('settle', (kind, value) => state()?.settle(text(kind), text(value)))
  define('call', (n, tool, args) => state()?.call(number(n), text(tool), text(args)))
  define('promiseState', (handle) => {
    const pair = context.newArray()
    const promise = context.getPromiseState(handle ?? context.undefined)
    const kind = context.newString(promise.type)
    context.setProp(pair, 0, kind)
    kind.dispose()
    const value = promise.type === 'fulfilled' ? promise.value : promise.type === 'rejected' ? promise.error : context.undefined
    context.setProp(pair, 1, value)
    if (value !== context.undefined) value.dispose()
    return pair
  })
  define('jsonMessage', (json) => context.newString(jsonMessage(text(json))))
  define('compare', (a, b, locale) => context.newNumber(text(a).localeCompare(text(b), text(locale))))
  define('format', (value, locale) => context.newString(number(value).toLocaleString(text(locale))))
  return host
}

/** As the harness renders a return value: two-space indent, compact where the indent would exceed ten characters. */
function render(value: unknown, depth: number): string {
  const indent = (depth + 1) * 2
  if (indent > 10 || typeof value !== 'object' || value === null) return JSON.stringify(value)
  const array = Array.isArray(value)
  const parts = array ? value.map((v) => render(v, depth + 1)) : Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${render(v, depth + 1)}`)
  if (parts.length === 0) return array ? '[]' : '{}'
  const pad = `\n${' '.repeat(indent)}`
  return `${array ? '[' : '{'}${pad}${parts.join(`,${pad}`)}\n${' '.repeat(indent - 2)}${array ? ']' : '}'}`
}

function jsonMessage(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
}
