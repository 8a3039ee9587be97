/**
 * Source text of the environment a program finds inside the sealed interpreter.
 * It runs before the program and keeps the built-ins it needs in local variables, so that a program that overrides them
 * only spoils its own output: nothing but strings and numbers crosses the border.
 *
 * `host` functions: call(n, tool, argumentsJson), log(text, isRaw), settle(kind, text), stop(reason),
 * promiseState(promise), jsonMessage(text), compare(a, b, locale), format(number, locale). The first two give false when
 * the run is over.
 */
export const GUEST = String.raw`(function (host) {
  'use strict'
  // Nothing a program does may go on after this: it spins until the next poll of the interrupt handler, which nobody can catch.
  const halt = () => { for (;;); }
  const stop = (reason) => { host.stop(reason); halt() }
  const { stringify, parse } = JSON
  const { getPrototypeOf, getOwnPropertyDescriptor, defineProperty, keys, getOwnPropertySymbols, isExtensible } = Object
  const { apply, construct, ownKeys } = Reflect
  const isArray = Array.isArray
  const PromiseClass = Promise, ProxyClass = Proxy, ErrorClass = Error, MapClass = Map, SetClass = Set, DateClass = Date, RegExpClass = RegExp, InternalErrorClass = InternalError
  const then = Promise.prototype.then, mapEach = Map.prototype.forEach, setEach = Set.prototype.forEach
  const mapGet = Map.prototype.get, mapSet = Map.prototype.set, mapHas = Map.prototype.has, setAdd = Set.prototype.add
  const time = Date.prototype.getTime, functionText = Function.prototype.toString, objectProto = Object.prototype, arrayProto = Array.prototype
  const push = Array.prototype.push, slice = Array.prototype.slice, isFinite = Number.isFinite, objectIs = Object.is
  const has = Object.prototype.hasOwnProperty, StringOf = String, symbolText = Symbol.prototype.toString

  // ---- what leaves: values for util.inspect, as tagged JSON of strings ----
  const encodeAll = (values, depth) => {
    const seen = new MapClass()
    let nodes = 0
    const list = (items, d) => { let s = ''; for (let i = 0; i < items.length; i++) s += (i ? ',' : '') + encode(items[i], d); return '[' + s + ']' }
    const tag = (name, rest) => '{"t":"' + name + '"' + rest + '}'
    const properties = (value, d) => {
      let s = ''
      const names = ownKeys(value)
      for (let i = 0; i < names.length; i++) {
        const key = names[i]
        const descriptor = getOwnPropertyDescriptor(value, key)
        if (!descriptor || !descriptor.enumerable) continue
        if (typeof key === 'symbol') stop('prints symbol keys')
        const inner = apply(has, descriptor, ['value']) ? encode(descriptor.value, d + 1) : tag('accessor', ',"get":' + !!descriptor.get + ',"set":' + !!descriptor.set)
        s += (s ? ',' : '') + '[' + stringify(key) + ',' + inner + ']'
      }
      return ',"p":[' + s + ']'
    }
    const className = (value) => {
      for (let o = value; o; o = getPrototypeOf(o)) {
        const d = getOwnPropertyDescriptor(o, 'constructor')
        if (d && typeof d.value === 'function' && d.value.name !== '') return StringOf(d.value.name)
      }
      return null
    }
    const encode = (value, d) => {
      if (++nodes > 100000) stop('prints a very large value')
      switch (typeof value) {
        case 'string': return stringify(value)
        case 'boolean': return value ? 'true' : 'false'
        case 'undefined': return tag('undefined', '')
        case 'number': return tag('number', ',"v":"' + (objectIs(value, -0) ? '-0' : value) + '"')
        case 'bigint': return tag('bigint', ',"v":"' + value + '"')
        case 'symbol': return tag('symbol', ',"v":' + stringify(apply(symbolText, value, [])))
      }
      if (value === null) return 'null'
      if (apply(mapHas, seen, [value])) return tag('ref', ',"id":' + apply(mapGet, seen, [value]))
      const id = nodes
      apply(mapSet, seen, [value, id])
      const head = ',"id":' + id + ',"c":' + stringify(className(value))
      if (d > depth) return tag(isArray(value) ? 'array' : 'object', head + (isArray(value) ? ',"v":["…"]' : '') + ',"p":[["…",1]]')
      if (typeof value === 'function') return tag('function', head + ',"name":' + stringify(StringOf(value.name)) + ',"class":' + /^class\b/.test(apply(functionText, value, [])) + ',"async":' + /^async\b/.test(apply(functionText, value, [])) + ',"parent":' + stringify(getPrototypeOf(value) && getPrototypeOf(value).name || '') + properties(value, d))
      if (isArray(value)) {
        for (let i = 0; i < value.length; i++) if (!apply(has, value, [i])) stop('prints an array with holes')
        if (keys(value).length !== value.length) stop('prints an array with properties')
        return tag('array', head + ',"v":' + list(value, d + 1))
      }
      if (value instanceof ErrorClass) {
        return tag('error', head + ',"header":' + stringify(header(value)) + ',"message":' + stringify(StringOf(value.message)) + ',"own":' + (apply(has, value, ['name']) ? stringify(StringOf(value.name)) : 'null') + ',"proto":' + stringify(StringOf(getPrototypeOf(value).name)) + (apply(has, value, ['cause']) ? ',"cause":' + encode(value.cause, d + 1) : '') + properties(value, d))
      }
      if (value instanceof MapClass) { const pairs = []; apply(mapEach, value, [(v, k) => { pairs[pairs.length] = [k, v] }]); let s = ''; for (let i = 0; i < pairs.length; i++) s += (i ? ',' : '') + list(pairs[i], d + 1); return tag('map', head + ',"v":[' + s + ']' + properties(value, d)) }
      if (value instanceof SetClass) { const items = []; apply(setEach, value, [(v) => { items[items.length] = v }]); return tag('set', head + ',"v":' + list(items, d + 1) + properties(value, d)) }
      if (value instanceof DateClass) return tag('date', head + ',"v":"' + apply(time, value, []) + '"')
      if (value instanceof RegExpClass) return tag('regexp', head + ',"v":' + stringify(value.source) + ',"flags":' + stringify(value.flags))
      if (value instanceof PromiseClass) { const s = host.promiseState(value); return tag('promise', head + ',"state":"' + s[0] + '","v":' + encode(s[1], d + 1)) }
      for (let o = value; o && o !== objectProto; o = getPrototypeOf(o)) if (getOwnPropertySymbols(o).length) stop('prints a value with symbols of its own')
      if (!isExtensible(value) && value instanceof WeakMapClass) stop('prints a value of an unsupported class')
      const c = className(value)
      if (c !== null && c !== 'Object' && typeof globalThis[c] === 'function' && value instanceof globalThis[c]) stop('prints a value of class ' + c)
      return tag('object', head + properties(value, d))
    }
    return list(values, 0)
  }
  const WeakMapClass = WeakMap

  // The first line of the stack: the recording engine writes it when the stack is first read.
  const header = (error) => { const name = StringOf(error.name), message = StringOf(error.message); return message === '' ? name : name + ': ' + message }

  const lossless = (value, depth) => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
    if (typeof value === 'number') return isFinite(value) && !objectIs(value, -0)
    if (typeof value !== 'object' || depth > 500) return false
    const proto = getPrototypeOf(value)
    if (isArray(value)) { for (let i = 0; i < value.length; i++) if (!apply(has, value, [i]) || !lossless(value[i], depth + 1)) return false; return true }
    if (proto !== objectProto && proto !== null) return false
    const names = ownKeys(value)
    for (let i = 0; i < names.length; i++) { const d = getOwnPropertyDescriptor(value, names[i]); if (typeof names[i] === 'symbol' || !d.enumerable || !lossless(value[names[i]], depth + 1)) return false }
    return true
  }

  // ---- console, process ----
  // The harness prints to a depth of 4; the rest needs only to be there.
  const log = (...args) => {
    const going = args.length === 1 && typeof args[0] === 'string' ? host.log(args[0], true) : host.log(encodeAll(args, 5), false)
    if (going === false) halt()
  }
  const missing = (name) => ({ configurable: true, enumerable: false, get() { stop('uses ' + name + ', which the sealed interpreter does not have') } })
  const trap = (known, name) => new ProxyClass(known, { get(target, key) { if (typeof key === 'symbol' || key in target) return target[key]; stop('uses ' + name + '.' + StringOf(key) + ', which the sealed interpreter does not have') } })
  const define = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false })
  define('console', { __proto__: null, log, info: log, warn: log, error: log, debug: log })
  const write = (text) => { if (host.log(StringOf(text), true) === false) halt(); return true }
  define('process', trap({ stdout: trap({ write }, 'process.stdout'), stderr: trap({ write }, 'process.stderr') }, 'process'))
  for (const name of ['require', 'module', 'exports', '__filename', '__dirname', 'Buffer', 'fetch', 'Headers', 'Request', 'Response', 'FormData', 'Blob', 'File', 'URL', 'URLSearchParams', 'TextEncoder', 'TextDecoder', 'AbortController', 'AbortSignal', 'Event', 'EventTarget', 'MessageChannel', 'MessagePort', 'BroadcastChannel', 'WebSocket', 'ReadableStream', 'WritableStream', 'TransformStream', 'CompressionStream', 'DecompressionStream', 'crypto', 'Intl', 'WebAssembly', 'atob', 'btoa', 'navigator', 'global', 'gc', 'performance', 'SharedArrayBuffer', 'Atomics']) defineProperty(globalThis, name, missing(name))

  // ---- clock: virtual, timers run in time order once nothing else is left ----
  let now = 1766000000000, timerId = 0, timers = []
  const addTimer = (callback, delay, args, every) => { const id = ++timerId; timers[timers.length] = { id, at: now + (delay > 0 ? +delay : 1), callback, args, every }; return { [Symbol.toPrimitive]: () => id, ref() { return this }, unref() { return this }, id } }
  const clear = (handle) => { const id = handle && typeof handle === 'object' ? handle.id : handle; const kept = []; for (let i = 0; i < timers.length; i++) if (timers[i].id !== id) kept[kept.length] = timers[i]; timers = kept }
  define('setTimeout', (callback, delay, ...args) => addTimer(callback, delay, args, null))
  define('setInterval', (callback, delay, ...args) => addTimer(callback, delay, args, delay > 0 ? +delay : 1))
  define('setImmediate', (callback, ...args) => addTimer(callback, 0, args, null))
  define('clearTimeout', clear); define('clearInterval', clear); define('clearImmediate', clear)
  define('queueMicrotask', (callback) => { apply(then, PromiseClass.resolve(), [callback]) })
  const SealedDate = new ProxyClass(DateClass, {
    construct(target, args, newTarget) { return construct(target, args.length ? args : [now], newTarget === SealedDate ? target : newTarget) },
    apply() { return new DateClass(now).toString() },
    get(target, key) { return key === 'now' ? () => now : target[key] },
  })
  DateClass.prototype.constructor = SealedDate
  define('Date', SealedDate)
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) defineProperty(DateClass.prototype, name, missing('Date.prototype.' + name))
  let seed = 1
  Math.random = () => { seed = (seed * 48271) % 2147483647; return seed / 2147483647 }

  // ---- wordings and orders of the recording engine ----
  JSON.parse = function (text, reviver) { try { return parse(text, reviver) } catch (error) { const message = host.jsonMessage(StringOf(text)); throw message === '' ? error : new SyntaxError(message) } }
  String.prototype.localeCompare = function (other, locale) { if (arguments.length > 2) stop('compares with collation options'); return host.compare(StringOf(this), StringOf(other), locale === undefined ? 'en-US' : StringOf(locale)) }
  Number.prototype.toLocaleString = function (locale) { if (arguments.length > 1) stop('formats a number with options'); return host.format(+this, locale === undefined ? 'en-US' : StringOf(locale)) }
  define('structuredClone', (root) => {
    const done = new MapClass()
    const clone = (value) => {
      if (typeof value === 'function' || typeof value === 'symbol') throw new ErrorClass(StringOf(value) + ' could not be cloned.')
      if (typeof value !== 'object' || value === null) return value
      if (apply(mapHas, done, [value])) return apply(mapGet, done, [value])
      if (value instanceof DateClass) return new SealedDate(apply(time, value, []))
      const copy = isArray(value) ? [] : value instanceof MapClass ? new MapClass() : value instanceof SetClass ? new SetClass() : {}
      if (value instanceof ErrorClass || value instanceof PromiseClass || value instanceof RegExpClass) stop('clones a value of an unsupported class')
      apply(mapSet, done, [value, copy])
      if (value instanceof MapClass) apply(mapEach, value, [(v, k) => apply(mapSet, copy, [clone(k), clone(v)])])
      else if (value instanceof SetClass) apply(setEach, value, [(v) => apply(setAdd, copy, [clone(v)])])
      else { const names = keys(value); for (let i = 0; i < names.length; i++) copy[names[i]] = clone(value[names[i]]) }
      return copy
    }
    return clone(root)
  })
  // A comparator that contradicts itself shows how an engine sorts. Up to 63 elements the recording one takes the run at the
  // start and inserts the rest by halving; longer arrays come out alike when the comparator is a sound one.
  const sortLong = Array.prototype.sort
  const sortShort = (items, compare) => {
    const before = (a, b) => +apply(compare, undefined, [a, b]) < 0
    const count = items.length
    let run = count < 2 ? count : 2
    const falls = count > 1 && before(items[1], items[0])
    while (run < count && before(items[run], items[run - 1]) === falls) run++
    if (falls) for (let low = 0, high = run - 1; low < high; low++, high--) { const moved = items[low]; items[low] = items[high]; items[high] = moved }
    for (; run < count; run++) {
      const item = items[run]
      let low = 0, high = run
      while (low < high) { const middle = (low + high) >> 1; if (before(item, items[middle])) high = middle; else low = middle + 1 }
      for (let i = run; i > low; i--) items[i] = items[i - 1]
      items[low] = item
    }
  }
  Array.prototype.sort = function (compare) {
    if (typeof compare !== 'function' || !isArray(this) || this.length > 63) return apply(sortLong, this, [compare])
    const items = [], count = this.length
    let nothing = 0
    for (let i = 0; i < count; i++) if (i in this) { if (this[i] === undefined) nothing++; else items[items.length] = this[i] }
    sortShort(items, compare)
    for (let i = 0; i < count; i++) if (i < items.length) this[i] = items[i]; else if (i < items.length + nothing) this[i] = undefined; else delete this[i]
    return this
  }
  const toSorted = Array.prototype.toSorted
  Array.prototype.toSorted = function (compare) {
    if (typeof compare !== 'function' || !isArray(this)) return apply(toSorted, this, [compare])
    const copy = []
    for (let i = 0; i < this.length; i++) copy[i] = this[i]
    return copy.sort(compare)
  }
  // Engine errors that programs catch and print, in the words of the recording engine.
  const reword = (error) => {
    if (!(error instanceof ErrorClass)) return error
    const m = /^cannot read property '(.*)' of (undefined|null)$/.exec(error.message) || /^cannot set property '(.*)' of (undefined|null)$/.exec(error.message)
    if (m) error.message = 'Cannot ' + (error.message[7] === 'r' ? 'read' : 'set') + ' properties of ' + m[2] + (error.message[7] === 'r' ? " (reading '" : " (setting '") + m[1] + "')"
    const name = /^'?([^']*)'? is not defined$/.exec(error.message)
    if (name) error.message = name[1] + ' is not defined'
    return error
  }
  Promise.prototype.then = function (onFulfilled, onRejected) { return apply(then, this, [onFulfilled, typeof onRejected === 'function' ? (reason) => onRejected(reword(reason)) : onRejected]) }

  // ---- tools ----
  class BindingCallError extends ErrorClass { constructor(toolName, message) { super(message); this.name = 'ToolCallError'; this.toolName = toolName } }
  define('ToolCallError', BindingCallError)
  /** Stands for a result whose structure is not known: it may be passed around, not looked at. */
  const opaque = (tool) => { const deny = () => stop('looks into the result of ' + tool + ', whose structure the log does not tell'); return new ProxyClass(function () {}, { get: (target, key) => key === 'then' ? undefined : deny(), has: deny, ownKeys: deny, getOwnPropertyDescriptor: deny, getPrototypeOf: deny, set: deny, apply: deny, construct: deny }) }
  const waiting = []
  const bindings = {}
  define('tools', new ProxyClass({}, {
    get(target, name) {
      if (typeof name === 'symbol' || name === 'then' || name === 'run_code') return undefined
      return bindings[name] || (bindings[name] = (args) => {
        if (!lossless(args, 0)) return PromiseClass.reject(new BindingCallError(name, 'binding arguments must be lossless JSON'))
        const entry = { tool: name }
        const promise = new PromiseClass((resolve, reject) => { entry.resolve = resolve; entry.reject = reject })
        waiting[waiting.length] = entry
        // Not inside the executor, which would catch what must not be caught.
        if (host.call(waiting.length - 1, name, stringify(args)) === false) halt()
        return promise
      })
    },
    has: () => true,
    ownKeys: () => stop('lists its tools'),
  }))

  return {
    reword,
    deliver(n, kind, text) {
      const { resolve, reject, tool } = waiting[n]
      if (kind === 'value') resolve(parse(text))
      else if (kind === 'opaque') resolve(opaque(tool))
      else reject(new BindingCallError(tool, text))
    },
    /** Runs the earliest timer; false: there is none. */
    tick() {
      let first = null
      for (let i = 0; i < timers.length; i++) if (!first || timers[i].at < first.at) first = timers[i]
      if (!first) return false
      if (first.at > now) now = first.at
      if (first.every === null) clear(first.id)
      else first.at = now + first.every
      apply(first.callback, undefined, first.args)
      return true
    },
    watch(main) {
      apply(then, main, [
        (value) => {
          if (value === undefined) host.settle('value', '')
          else if (typeof value === 'string') host.settle('text', value)
          else if (lossless(value, 0)) host.settle('value', stringify(value))
          else host.settle('invalid-output', '')
        },
        (error) => {
          const e = reword(error)
          if (e instanceof InternalErrorClass || (e instanceof ErrorClass && /^could not load module/.test(e.message))) stop('needs more than the sealed interpreter has')
          host.settle('exception', e instanceof ErrorClass ? header(e) : StringOf(e))
        },
      ])
    },
  }
})`
