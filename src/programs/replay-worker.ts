/** Worker thread of the replayer: one run of one program in a fresh sealed interpreter per message. */
import { isDeepStrictEqual } from 'node:util'
import { parentPort } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSHandle, type QuickJSWASMModule } from 'quickjs-emscripten-core'
import { GUEST } from './guest.ts'
import { formatLog } from './inspect.ts'
import { assumedReceipt, serve, type Served } from './receipts.ts'
import type { MadeCall, Run, RunRequest } from './replay-protocol.ts'
import type { NestedCall } from './types.ts'

// The interpreter asks the host for the local time zone: the same bytes everywhere need one zone.
for (const part of ['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds', 'Milliseconds'] as const) Reflect.set(Date.prototype, `get${part}`, Date.prototype[`getUTC${part}`])
Reflect.set(Date.prototype, 'getTimezoneOffset', () => 0)

const port = parentPort
const quickjs = newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
port?.on('message', (request: RunRequest) => {
  void quickjs.then((module) => port.postMessage(run(module, request)))
})

function run(module: QuickJSWASMModule, request: RunRequest): Run {
  const runtime = module.newRuntime()
  runtime.setMemoryLimit(request.limits.memoryBytes)
  runtime.setMaxStackSize(512 * 1024)
  const state = new RunState(request)
  runtime.setInterruptHandler(() => state.poll())
  const context = runtime.newContext()
  try {
    return state.execute(context)
  } finally {
    context.dispose()
    runtime.dispose()
  }
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
  #stopped: string | null = null
  #endless = false
  #settled: { readonly kind: string; readonly text: string } | null = null
  #polls = 0
  #outputChars = 0
  #assumed = false

  constructor(request: RunRequest) {
    this.#request = request
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

  execute(context: QuickJSContext): Run {
    const host = this.#hostFunctions(context)
    const setUp = context.unwrapResult(context.evalCode(GUEST, 'guest', { strict: true }))
    const guest = context.unwrapResult(context.callFunction(setUp, context.undefined, host))
    setUp.dispose()
    const main = context.evalCode(`(async function () { ${this.#request.javascript}\n})()`, 'program', { strict: true })
    if (main.error) {
      main.error.dispose()
      this.#stop('the sealed interpreter cannot compile it')
    } else {
      this.#invoke(context, guest, 'watch', main.value)
      main.value.dispose()
      this.#drive(context, guest)
    }
    guest.dispose()
    host.dispose()
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

  #hostFunctions(context: QuickJSContext): QuickJSHandle {
    const host = context.newObject()
    const define = (name: string, body: (...args: QuickJSHandle[]) => QuickJSHandle | undefined): void => {
      const fn = context.newFunction(name, (...args) => body(...args) ?? (this.#stopped === null ? context.undefined : context.false))
      context.setProp(host, name, fn)
      fn.dispose()
    }
    const text = (handle: QuickJSHandle | undefined): string => (handle ? context.getString(handle) : '')
    define('stop', (because) => {
      this.#stop(`it ${text(because)}`)
      return undefined
    })
    define('log', (encoded, raw) => {
      this.#log(context.dump(raw ?? context.false) === true ? text(encoded) : formatLog(text(encoded)))
      return undefined
    })
    define('settle', (kind, value) => {
      this.#settled ??= { kind: text(kind), text: text(value) }
      return undefined
    })
    define('call', (n, tool, args) => {
      const made = { tool: text(tool), arguments: text(args) }
      this.#calls.push(made)
      const served = this.#serve(made)
      if (served) this.#deliveries.push({ n: context.getNumber(n ?? context.undefined), served })
      return undefined
    })
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
    define('format', (number, locale) => context.newString(context.getNumber(number ?? context.undefined).toLocaleString(text(locale))))
    return host
  }

  #log(line: string): void {
    this.#outputChars += line.length + 1
    if (this.#outputChars > this.#request.limits.outputChars) this.#stop('it prints too much', true)
    else this.#logs.push(line)
  }

  /** Null: the call never settles. */
  #serve(made: MadeCall): Served | null {
    const { calls, answer, limits, variant } = this.#request
    const position = this.#calls.length - 1
    const same = (c: NestedCall | undefined): boolean => c !== undefined && c.tool === made.tool && (made.arguments === '' || isDeepStrictEqual(JSON.parse(made.arguments), c.arguments))
    let at = same(calls[position]) && !this.#served.has(position) ? position : -1
    if (at === -1 && answer === null) {
      this.#stop(position < calls.length ? `its call ${position + 1} (${made.tool}) is not the recorded one` : `it makes more calls than recorded (${made.tool})`)
      return null
    }
    if (at === -1) at = calls.findIndex((c, i) => !this.#served.has(i) && same(c))
    if (at === -1) at = calls.findIndex((c) => same(c))
    const recorded = calls[at]
    if (recorded) {
      this.#served.add(at)
      if (answer?.subCallId === recorded.subCallId) return serve(recorded, { isError: false, text: answer.text }, variant)
      return recorded.result && serve(recorded, recorded.result, variant)
    }
    this.#assumed = true
    if (position >= limits.calls) this.#stop('it makes too many calls', true)
    const call = { tool: made.tool, arguments: JSON.parse(made.arguments) }
    const receipt = assumedReceipt(call, position, calls)
    return receipt === null ? { kind: 'opaque' } : serve(call, receipt, variant)
  }

  #outcome(): Run {
    const { calls, answer } = this.#request
    if (this.#stopped === null && answer === null && this.#calls.length < calls.length) this.#stop(`it makes ${this.#calls.length} of ${calls.length} recorded calls`)
    if (this.#stopped !== null || this.#settled === null) return { kind: 'void', because: this.#stopped ?? 'it did not end', endless: this.#endless, calls: this.#calls, polls: this.#polls }
    const { kind, text } = this.#settled
    const failure = kind === 'exception' || kind === 'invalid-output' || kind === 'stuck' ? kind : null
    const rendered = kind === 'value' && text !== '' ? render(JSON.parse(text), 0) : text
    return { kind: 'finished', failure, text: failure === 'invalid-output' ? 'program completion must be lossless JSON' : rendered, logs: this.#logs, calls: this.#calls, assumedResults: this.#assumed, polls: this.#polls }
  }
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
