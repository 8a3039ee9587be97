/**
 * The language-independent half of the data flow: values flow between nodes until nothing changes any more.
 * It ignores the order of statements and joins all calls of a function, so it reaches too much rather than too little.
 */
import type { How, ItemFlow, Reach } from './types.ts'

/** What a value may be. Answers are followed along their known shape `{answers: [{id, selected, custom?}]}`. */
export type Token =
  | { readonly kind: 'answer'; readonly site: number; readonly part: Part; /** -1: any item. */ readonly item: number; /** Inside a container of unknown shape. */ readonly boxed: boolean; /** A promise of it. */ readonly pending: boolean; readonly how: 'value' | 'choice' }
  | { readonly kind: 'function'; readonly index: number; readonly boxed: boolean }
  /** The `resolve` of a promise: its argument is what the promise brings. */
  | { readonly kind: 'resolver'; readonly promise: Node }
  | { readonly kind: 'tools' | 'console' | 'log' | 'process' | 'globals' }
  | { readonly kind: 'tool'; readonly name: string }
/** `whole`: made of the whole reply or item, of no known shape. */
type Part = 'reply' | 'answers' | 'item' | 'selected' | 'custom' | 'whole'
export type AnswerToken = Extract<Token, { kind: 'answer' }>

export type Node = number
export type Transform = (token: Token) => Token | readonly Token[] | null

export interface Site {
  readonly tool: string
  readonly start: number
  readonly line: number
  readonly text: string
  /** Ids of the questions where they stand in the arguments as texts. */
  readonly ids: readonly string[]
  /** It stands outside loops and functions: one call per run. */
  readonly once: boolean
  /** What the arguments hold and what decides that the call is made. */
  readonly sink: Node
}

export interface FunctionFacts { readonly params: readonly Node[]; /** Gets all arguments from its position on. */ readonly rest: Node | null; readonly result: Node; readonly reached: Node; readonly isAsync: boolean }

export class FlowGraph {
  readonly #tokens: Map<string, Token>[] = []
  readonly #listeners: ((token: Token) => void)[][] = []
  readonly #work: [Node, Token][] = []
  readonly sites: Site[] = []
  readonly functions: FunctionFacts[] = []
  readonly #awaited = new Set<number>()
  readonly returns = this.node()
  readonly logs = this.node()
  readonly throws = this.node()

  node(...from: readonly Node[]): Node {
    const node = this.#tokens.push(new Map()) - 1
    this.#listeners.push([])
    for (const f of from) this.flow(f, node)
    return node
  }

  add(node: Node, token: Token): void {
    const key = JSON.stringify(token)
    const known = this.#tokens[node]
    if (!known || known.has(key)) return
    known.set(key, token)
    this.#work.push([node, token])
  }

  /** Calls back for every token that ever arrives. */
  watch(node: Node, listener: (token: Token) => void): void {
    this.#listeners[node]?.push(listener)
    for (const token of this.#tokens[node]?.values() ?? []) listener(token)
  }

  flow(from: Node, to: Node, transform: Transform = same): void {
    if (from === to && transform === same) return
    this.watch(from, (token) => {
      const result = transform(token)
      if (result === null) return
      if (Array.isArray(result)) for (const t of result) this.add(to, t)
      else if ('kind' in result) this.add(to, result)
    })
  }

  /** Runs until nothing changes. */
  settle(): void {
    for (let next = this.#work.pop(); next; next = this.#work.pop()) {
      for (const listener of this.#listeners[next[0]] ?? []) listener(next[1])
    }
  }

  /** `await value`, and what a `then` callback gets. */
  readonly settled: Transform = (token) => {
    if (token.kind !== 'answer' || !token.pending) return token
    this.#awaited.add(token.site)
    return { ...token, pending: false }
  }

  call(callee: Node, args: readonly Node[], result: Node, conditions: readonly Node[], site: Omit<Site, 'tool' | 'sink'>): void {
    // Which function is called may depend on the answer, and so may a function that was made of it.
    const decided = [...conditions, callee]
    this.flow(callee, result, opaque)
    this.watch(callee, (token) => {
      if (token.kind === 'function') this.#enter(token.index, args, result, decided)
      else if (token.kind === 'tool') this.#callTool(token.name, args, result, decided, site)
      else this.receive(token, args, decided)
    })
  }

  /** A function of the runtime gets values. */
  receive(callee: Token, values: readonly Node[], conditions: readonly Node[], transform?: Transform): void {
    if (callee.kind === 'log') this.sink(this.logs, values, conditions, transform)
    else if (callee.kind === 'resolver') this.sink(callee.promise, values, conditions, transform ?? same)
  }

  /** Making a text or a number of an object may call what it holds: `toString`, `toJSON`, `valueOf`. */
  convert(object: Node, result: Node): void {
    this.watch(object, (token) => {
      const fn = token.kind === 'function' && token.boxed ? this.functions[token.index] : undefined
      if (fn) this.flow(fn.result, result, opaque)
    })
  }

  #enter(index: number, args: readonly Node[], result: Node, conditions: readonly Node[]): void {
    const fn = this.functions[index]
    if (!fn) return
    args.forEach((arg, i) => {
      const param = fn.params[i]
      if (param !== undefined) {
        this.flow(arg, param)
        // What the body puts into the parameter stands in the caller's object.
        this.flow(param, arg, onlyBoxed)
      }
      if (fn.rest !== null && i >= fn.params.length) this.flow(arg, fn.rest, boxed)
    })
    this.flow(fn.result, result, fn.isAsync ? pending : same)
    for (const condition of conditions) this.flow(condition, fn.reached, choice)
  }

  #callTool(tool: string, args: readonly Node[], result: Node, conditions: readonly Node[], facts: Omit<Site, 'tool' | 'sink'>): void {
    const index = this.sites.findIndex((s) => s.start === facts.start && s.tool === tool)
    if (index !== -1) return
    const sink = this.node()
    const site = this.sites.push({ ...facts, tool, sink }) - 1
    this.sink(sink, args, conditions)
    // What a tool returns depends on what it was asked.
    this.flow(sink, result, opaque)
    if (tool === 'ask_user_question' || tool === '*') this.add(result, { kind: 'answer', site, part: 'reply', item: -1, boxed: false, pending: true, how: 'value' })
  }

  /** Values and conditions that reach a sink; promises are not printed. */
  sink(to: Node, values: readonly Node[], conditions: readonly Node[], transform: Transform = (t) => (t.kind === 'answer' && t.pending ? null : t)): void {
    for (const value of values) this.flow(value, to, transform)
    for (const condition of conditions) this.flow(condition, to, choice)
  }

  /** How far the answers of one call site get. Valid after `settle`. */
  itemFlow(sites: readonly number[], item: number): ItemFlow {
    const first = this.sites[sites[0] ?? -1]
    return {
      site: sites.length === 1 && first ? { line: first.line, text: first.text } : null,
      floating: sites.every((s) => !this.#awaited.has(s)),
      selected: this.#reach(sites, item, 'selected'),
      custom: this.#reach(sites, item, 'custom'),
    }
  }

  #reach(sites: readonly number[], item: number, part: 'selected' | 'custom'): Reach {
    const how = (node: Node): How => {
      let best: How = 'none'
      for (const t of this.#tokens[node]?.values() ?? []) {
        if (t.kind !== 'answer' || !sites.includes(t.site) || (t.item !== -1 && t.item !== item)) continue
        if ((t.part === 'selected' || t.part === 'custom') && t.part !== part) continue
        if (t.how === 'value') return 'value'
        best = 'choice'
      }
      return best
    }
    const calls = this.sites.flatMap(({ tool, line, sink }) => {
      const reached = how(sink)
      return reached === 'none' ? [] : [{ tool, line, how: reached }]
    })
    return { returns: how(this.returns), logs: how(this.logs), throws: how(this.throws), calls }
  }
}

// ---- transforms ----

export const same: Transform = (token) => token
export const boxed: Transform = (token) => (token.kind === 'answer' || token.kind === 'function' ? { ...token, boxed: true } : token)
/** Only what stands in a container: what a callee or an alias may have put into a shared object. */
export const onlyBoxed: Transform = (token) => ((token.kind === 'answer' || token.kind === 'function') && token.boxed ? token : null)
export const pending: Transform = (token) => (token.kind === 'answer' && token.how === 'value' ? { ...token, pending: true } : token)
/** Text or number made of it: the shape is gone. */
export const opaque: Transform = (token) => {
  if (token.kind !== 'answer' || token.pending) return null
  return token.part === 'selected' || token.part === 'custom' ? { ...token, boxed: false } : { ...token, part: 'whole', boxed: false }
}
/** What a condition lets through. That a reply, its list or an item is there at all does not depend on the answer. */
export const choice: Transform = (token) => {
  if (token.kind !== 'answer' || token.pending || (token.how === 'value' && !token.boxed && (token.part === 'reply' || token.part === 'answers' || token.part === 'item'))) return null
  return { ...token, boxed: false, how: 'choice' }
}

/** `value[key]`; key null: not known. */
export function member(key: string | number | null): Transform {
  return (token) => {
    switch (token.kind) {
      case 'tools': return typeof key === 'string' ? { kind: 'tool', name: key } : { kind: 'tool', name: '*' }
      case 'console': return { kind: 'log' }
      case 'process': return key === 'stdout' || key === 'stderr' || key === null ? { kind: 'console' } : null
      case 'globals': return key === 'tools' || key === 'console' || key === 'process' ? { kind: key } : null
      case 'function': return token.boxed ? [token, { ...token, boxed: false }] : token
      case 'answer': return token.pending || token.boxed ? [token, { ...token, boxed: false }] : answerMember(token, key)
      default: return null
    }
  }
}

function answerMember(token: AnswerToken, key: string | number | null): AnswerToken | readonly AnswerToken[] | null {
  switch (token.part) {
    case 'reply':
      return key === 'answers' ? { ...token, part: 'answers' } : key === null ? { ...token, part: 'whole' } : null
    case 'answers':
      return typeof key === 'number' || (typeof key === 'string' && /^\d+$/.test(key)) ? { ...token, part: 'item', item: Number(key) } : key === null ? { ...token, part: 'item' } : null
    case 'item':
      return key === 'selected' || key === 'custom' ? { ...token, part: key } : key === null ? { ...token, part: 'whole' } : null
    default:
      return token
  }
}

/** What a callback or loop variable gets from a list; entries and keys of objects included. */
export const element: Transform = (token) => {
  if (token.kind !== 'answer' || token.pending || token.boxed) return member(null)(token)
  if (token.part === 'answers') return { ...token, part: 'item' }
  return token.part === 'reply' || token.part === 'item' ? [token, { ...token, part: 'whole' }] : token
}
