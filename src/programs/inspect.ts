/** Tagged JSON from the sealed interpreter → plain host values that `util.inspect` prints as the originals. No guest code runs here. */
import { inspect } from 'node:util'
import { isRecord } from './answers.ts'

/** As the harness's console: strings as they are, without `%` formats. */
const OPTIONS = { depth: 4, maxArrayLength: 100, maxStringLength: 10_000 } as const

/** One console call: its arguments as the guest encoded them → the log line. */
export function formatLog(encoded: string): string {
  const args: unknown = JSON.parse(encoded)
  if (!Array.isArray(args)) return ''
  const seen = new Map<unknown, unknown>()
  return args.map((a) => (typeof a === 'string' ? a : inspect(decode(a, seen), OPTIONS))).join(' ')
}

type Constructor = new (...args: never[]) => object
const BUILT_IN: Readonly<Record<string, Constructor>> = { Object, Array, Map, Set, Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError }

function classNamed(name: string, base: Constructor): Constructor {
  return { [name]: class extends base {} }[name] ?? base
}

function decode(value: unknown, seen: Map<unknown, unknown>): unknown {
  if (!isRecord(value)) return value
  const text = String(value['v'])
  switch (value['t']) {
    case 'undefined': return undefined
    case 'number': return Number(text)
    case 'bigint': return BigInt(text)
    case 'symbol': return Symbol(text.slice('Symbol('.length, -1))
    case 'ref': return seen.get(value['id'])
    default: return decodeObject(value, text, seen)
  }
}

function decodeObject(value: Record<string, unknown>, text: string, seen: Map<unknown, unknown>): unknown {
  const name = typeof value['c'] === 'string' ? value['c'] : null
  const made = bare(value, name, text, seen)
  seen.set(value['id'], made)
  const elements = Array.isArray(value['v']) ? value['v'] : []
  if (Array.isArray(made)) for (const e of elements) made.push(decode(e, seen))
  if (made instanceof Set) for (const e of elements) made.add(decode(e, seen))
  if (made instanceof Map) for (const e of elements) if (Array.isArray(e)) made.set(decode(e[0], seen), decode(e[1], seen))
  for (const property of Array.isArray(value['p']) ? value['p'] : []) {
    if (!Array.isArray(property)) continue
    const [key, inner] = property
    const accessor = isRecord(inner) && inner['t'] === 'accessor' ? inner : null
    Object.defineProperty(made, String(key), accessor
      ? { enumerable: true, configurable: true, ...(accessor['get'] === true ? { get: () => undefined } : {}), ...(accessor['set'] === true ? { set: () => {} } : {}) }
      : { enumerable: true, configurable: true, writable: true, value: decode(inner, seen) })
  }
  return made
}

function bare(value: Record<string, unknown>, name: string | null, text: string, seen: Map<unknown, unknown>): object {
  switch (value['t']) {
    case 'array': return name === 'Array' || name === null ? [] : new (classNamed(name, Array))()
    case 'map': return name === 'Map' || name === null ? new Map() : new (classNamed(name, Map))()
    case 'set': return name === 'Set' || name === null ? new Set() : new (classNamed(name, Set))()
    case 'date': return new Date(Number(text))
    case 'regexp': return new RegExp(text, String(value['flags']))
    case 'promise': return promise(value, seen)
    case 'function': return functionLike(value)
    case 'error': return errorLike(value, name ?? 'Error', seen)
    default: return name === null ? Object.create(null) : name === 'Object' ? {} : new (classNamed(name, Object))()
  }
}

function promise(value: Record<string, unknown>, seen: Map<unknown, unknown>): Promise<unknown> {
  if (value['state'] === 'pending') return new Promise(() => {})
  const inner = decode(value['v'], seen)
  if (value['state'] === 'fulfilled') return Promise.resolve(isRecord(inner) && 'then' in inner ? null : inner)
  const rejected = Promise.reject(inner)
  rejected.catch(() => {})
  return rejected
}

function functionLike(value: Record<string, unknown>): object {
  const name = String(value['name'])
  if (value['class'] === true) {
    // A class without a parent prints without one: `extends` of its prototype is undone.
    const made = classNamed(name, value['parent'] === '' ? Object : classNamed(String(value['parent']), Object))
    return value['parent'] === '' ? Object.setPrototypeOf(made, Function.prototype) : made
  }
  return (value['async'] === true ? { [name]: async () => {} } : { [name]: () => {} })[name] ?? {}
}

function errorLike(value: Record<string, unknown>, name: string, seen: Map<unknown, unknown>): Error {
  const made: unknown = new (BUILT_IN[name] ?? classNamed(name, Error))()
  const error = made instanceof Error ? made : new Error()
  const hidden = (key: string, v: unknown): void => { Object.defineProperty(error, key, { value: v, configurable: true, writable: true, enumerable: false }) }
  hidden('message', String(value['message']))
  // Frames are the recording machine's own; comparing drops them on both sides.
  hidden('stack', `${String(value['header'])}\n    at <anonymous>`)
  if ('cause' in value) hidden('cause', decode(value['cause'], seen))
  if (value['own'] === null && value['proto'] !== 'Error') hidden('name', String(value['proto']))
  return error
}
