/**
 * Python syntax tree → flow graph. Coarser than the JavaScript side: variables of one name in one function are one, so are
 * all methods of one name, all instances of all classes, and a value that is put into an attribute or item of a variable
 * is in the variable.
 */
import { parser } from '@lezer/python'
import { boxed, choice, element, FlowGraph, member, type Node, onlyBoxed, opaque, same } from './flow-graph.ts'
import { lineOf } from './parse.ts'

type Tree = ReturnType<typeof parser.parse>
type SyntaxNode = Tree['topNode']

export type ParsedPython = { readonly ok: true; readonly tree: Tree } | { readonly ok: false; readonly message: string; readonly line: number }

export function parsePython(code: string): ParsedPython {
  const tree = parser.parse(code)
  let bad: number | null = null
  tree.iterate({ enter: (node) => { if (node.type.isError) bad ??= node.from } })
  return bad === null ? { ok: true, tree } : { ok: false, message: 'invalid syntax', line: lineOf(code, bad) }
}

export function pythonFlow(tree: Tree, code: string): FlowGraph {
  const visitor = new PythonFlow(code)
  visitor.statements(tree.topNode)
  visitor.graph.settle()
  return visitor.graph
}

/** Built-in methods that put their arguments into their receiver. */
const MUTATORS = new Set(['append', 'extend', 'insert', 'add', 'update', 'setdefault'])
const CONSTANT_TESTS = new Set(['is', 'None'])
const SKIPPED = new Set(['AssignOp', 'UpdateOp', 'TypeDef', 'Comment', 'CompareOp', 'ArithOp', 'FormatConversion', 'FormatSpec'])

function children(node: SyntaxNode): SyntaxNode[] {
  const list: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) list.push(child)
  return list
}

/** Keywords and signs have lower-case or sign names, syntax has capitals. */
function isSyntax(node: SyntaxNode): boolean {
  return /^[A-Z]/.test(node.name) && !SKIPPED.has(node.name)
}

class PythonFlow {
  readonly graph = new FlowGraph()
  readonly #code: string
  /** Innermost last. */
  #scopes: readonly Map<string, Node>[] = [new Map()]
  readonly #methods = new Map<string, Node>()
  /** What all instances hold. */
  readonly #instance = this.graph.node()
  readonly #classes = new Set<string>()
  #class: string | null = null
  readonly #values = new Map<number, Map<string, Node>>()
  #conditions: Node[] = []
  #returns: Node | null = null
  #loops = 0

  constructor(code: string) {
    this.#code = code
    this.graph.add(this.#named('tools'), { kind: 'tools' })
    this.graph.add(this.#named('print'), { kind: 'log' })
    this.graph.add(this.#named('sys'), { kind: 'process' })
  }

  #text(node: SyntaxNode): string {
    return this.#code.slice(node.from, node.to)
  }

  #named(name: string): Node {
    const known = this.#scopes.findLast((scope) => scope.has(name))?.get(name)
    if (known !== undefined) return known
    const node = this.graph.node()
    this.#scopes[0]?.set(name, node)
    return node
  }

  #method(name: string): Node {
    const node = this.#methods.get(name) ?? this.graph.node()
    this.#methods.set(name, node)
    return node
  }

  // ---- statements ----

  /** What decides that a statement leaves early decides about all that come after it. */
  statements(body: SyntaxNode): void {
    const before = this.#conditions
    for (const statement of children(body)) {
      if (!isSyntax(statement)) continue
      this.#statement(statement)
      this.#conditions = [...this.#conditions, ...this.#exits(statement)]
    }
    this.#conditions = before
  }

  #exits(statement: SyntaxNode): Node[] {
    const tests: Node[] = []
    const visit = (node: SyntaxNode, decided: readonly Node[]): void => {
      if (node.name === 'FunctionDefinition' || node.name === 'LambdaExpression') return
      if (/^(?:Return|Raise|Break|Continue)Statement$/.test(node.name)) tests.push(...decided)
      const own = /^(?:If|While|For)Statement$/.test(node.name) ? children(node).filter((c) => isSyntax(c) && c.name !== 'Body').map((c) => this.#value(c)) : []
      for (const child of children(node)) if (!child.type.isAnonymous) visit(child, child.name === 'Body' ? [...decided, ...own] : decided)
    }
    if (statement.name.endsWith('Statement') && statement.getChild('Body')) visit(statement, [])
    return tests
  }

  #statement(node: SyntaxNode): void {
    const { graph } = this
    const parts = children(node).filter(isSyntax)
    switch (node.name) {
      case 'AssignStatement':
      case 'UpdateStatement':
        this.#assignment(node)
        return
      case 'ReturnStatement':
        graph.sink(this.#returns ?? graph.returns, parts.map((p) => this.#value(p)), this.#conditions, this.#returns === null ? graph.settled : same)
        return
      case 'RaiseStatement':
        graph.sink(graph.throws, parts.map((p) => this.#value(p)), this.#conditions)
        graph.sink(this.#named('except'), parts.map((p) => this.#value(p)), this.#conditions)
        return
      case 'IfStatement':
      case 'WhileStatement': {
        const tests = parts.filter((p) => p.name !== 'Body').map((p) => this.#value(p))
        this.#loops += node.name === 'WhileStatement' ? 1 : 0
        this.#under(tests, () => { for (const p of parts) if (p.name === 'Body') this.statements(p) })
        this.#loops -= node.name === 'WhileStatement' ? 1 : 0
        return
      }
      case 'ForStatement':
        this.#loops++
        this.#under(this.#loop(children(node)), () => { for (const p of parts) if (p.name === 'Body') this.statements(p) })
        this.#loops--
        return
      case 'FunctionDefinition': {
        const name = node.getChild('VariableName')
        const body = node.getChild('Body')
        if (!name || !body) return
        const isMethod = this.#class !== null
        const place = isMethod ? this.#method(this.#text(name)) : this.#named(this.#text(name))
        graph.flow(this.#function(node.getChild('ParamList'), () => this.statements(body), node.getChild('async') !== null, localNames(body, this.#code)), place)
        return
      }
      case 'ClassDefinition': {
        const name = node.getChild('VariableName')
        const body = node.getChild('Body')
        const outer = this.#class
        this.#class = name ? this.#text(name) : ''
        this.#classes.add(this.#class)
        if (body) this.statements(body)
        this.#class = outer
        return
      }
      case 'MatchStatement': {
        const [subject, body] = parts
        if (subject && body) this.#match(this.#value(subject), children(body).filter((c) => c.name === 'MatchClause'))
        return
      }
      case 'TryStatement': {
        let bound = false
        for (const child of children(node)) {
          if (child.name === 'except') bound = true
          if (child.name === 'VariableName' && bound) graph.flow(this.#named('except'), this.#named(this.#text(child)))
          if (child.name === 'Body') this.#under(bound ? [this.#named('except')] : [], () => this.statements(child))
        }
        return
      }
      case 'WithStatement':
        for (const p of parts) if (p.name === 'VariableName' && p.prevSibling?.name === 'as' && p.prevSibling.prevSibling) graph.flow(this.#value(p.prevSibling.prevSibling), this.#named(this.#text(p)))
        for (const p of parts) if (p.name === 'Body') this.statements(p)
        return
      case 'ExpressionStatement':
        for (const p of parts) this.#value(p)
        return
      default:
        for (const p of parts) {
          if (p.name === 'Body' || /(?:Statement|Definition|Body|Clause)$/.test(p.name)) this.#statement(p)
          else this.#value(p)
        }
    }
  }

  /** A pattern looks into what it is given, and takes parts of it. */
  #match(subject: Node, clauses: readonly SyntaxNode[]): void {
    const looked = this.graph.node()
    this.graph.flow(subject, looked, opaque)
    for (const clause of clauses) {
      const parts = children(clause).filter(isSyntax)
      for (const pattern of parts) if (pattern.name !== 'Body' && pattern.name !== 'Guard') for (const name of captures(pattern)) this.#bind(name, looked)
      const guards = parts.filter((p) => p.name === 'Guard').flatMap((g) => children(g).filter(isSyntax)).map((g) => this.#value(g))
      this.#under([looked, ...guards], () => { for (const p of parts) if (p.name === 'Body') this.statements(p) })
    }
  }

  #under(tests: readonly Node[], body: () => void): void {
    const before = this.#conditions
    this.#conditions = [...before, ...tests]
    body()
    this.#conditions = before
  }

  /** `a, b = x = value`: the last side is the value. */
  #assignment(node: SyntaxNode): void {
    const sides: SyntaxNode[][] = [[]]
    for (const child of children(node)) {
      if (child.name === 'AssignOp' || child.name === 'UpdateOp') sides.push([])
      else if (isSyntax(child)) sides.at(-1)?.push(child)
    }
    const source = sides.pop() ?? []
    const value = this.graph.node()
    for (const s of source) this.graph.flow(this.#value(s), value, source.length > 1 ? boxed : same)
    for (const targets of sides) {
      targets.forEach((target, i) => {
        this.#bind(target, targets.length > 1 ? this.#member(value, i) : value)
        const root = source.length === 1 && source[0] ? this.#root(source[0]) : null
        const name = this.#root(target)
        if (root !== null && name !== null) this.graph.flow(name, root, onlyBoxed)
      })
    }
  }

  #member(value: Node, key: string | number | null): Node {
    const inner = this.graph.node()
    this.graph.flow(value, inner, member(key))
    return inner
  }

  #bind(target: SyntaxNode, value: Node): void {
    if (target.name === 'VariableName') {
      const variable = this.#named(this.#text(target))
      this.graph.flow(value, variable)
      for (const condition of this.#conditions) this.graph.flow(condition, variable, choice)
    } else if (target.name === 'MemberExpression') {
      const root = this.#root(target)
      if (root === null) return
      this.graph.flow(value, root, boxed)
      for (const key of children(target).slice(1)) if (isSyntax(key) && key.name !== 'PropertyName') this.graph.flow(this.#value(key), root, opaque)
      for (const condition of this.#conditions) this.graph.flow(condition, root, choice)
    } else {
      children(target).filter(isSyntax).forEach((part, i) => this.#bind(part, this.#member(value, i)))
    }
  }

  #root(node: SyntaxNode): Node | null {
    if (node.name === 'VariableName') return this.#named(this.#text(node))
    const first = node.firstChild
    return first && (node.name === 'MemberExpression' || node.name === 'CallExpression') ? this.#root(first) : null
  }

  /** `for a, b in list` → what decides how often it runs. */
  #loop(parts: readonly SyntaxNode[]): Node[] {
    const at = parts.findIndex((p) => p.name === 'in')
    const from = parts.findLastIndex((p, i) => i < at && p.name === 'for')
    const list = parts[at + 1]
    if (at === -1 || !list) return []
    const value = this.#value(list)
    const item = this.graph.node()
    this.graph.flow(value, item, element)
    const targets = parts.slice(from + 1, at).filter(isSyntax)
    targets.forEach((target, i) => this.#bind(target, targets.length > 1 ? this.#member(item, i) : item))
    return [value]
  }

  // ---- expressions ----

  #value(node: SyntaxNode): Node {
    // One place can hold several nodes of different kinds, each from the same offset.
    const key = `${node.name}:${node.to}`
    const known = this.#values.get(node.from)?.get(key)
    if (known !== undefined) return known
    const value = this.#evaluate(node)
    this.#values.set(node.from, (this.#values.get(node.from) ?? new Map()).set(key, value))
    return value
  }

  #evaluate(node: SyntaxNode): Node {
    const { graph } = this
    const parts = children(node).filter(isSyntax)
    switch (node.name) {
      case 'VariableName':
        return this.#named(this.#text(node))
      case 'AwaitExpression': {
        const value = graph.node()
        for (const p of parts) graph.flow(this.#value(p), value, graph.settled)
        return value
      }
      case 'MemberExpression': {
        const [object, ...keys] = parts
        const key = keys[0]
        if (!object) return graph.node()
        const value = this.#member(this.#value(object), keys.length === 1 && key ? this.#key(key) : null)
        for (const k of keys) if (k.name !== 'PropertyName') graph.flow(this.#value(k), value, opaque)
        if (key?.name === 'PropertyName' && this.#isDefined(this.#text(key))) {
          graph.flow(this.#method(this.#text(key)), value)
          graph.flow(this.#instance, value, element)
          this.#runs(value, value)
        }
        return value
      }
      case 'CallExpression':
        return this.#call(node)
      case 'LambdaExpression': {
        const body = parts.at(-1)
        return this.#function(node.getChild('ParamList'), () => { if (body && this.#returns !== null) graph.flow(this.#value(body), this.#returns) }, false)
      }
      case 'NamedExpression': {
        const [target, source] = parts
        const value = source ? this.#value(source) : graph.node()
        if (target) this.#bind(target, value)
        return value
      }
      case 'ArrayComprehensionExpression':
      case 'DictionaryComprehensionExpression':
      case 'SetComprehensionExpression':
      case 'ComprehensionExpression':
        return this.#comprehension(children(node))
      case 'ConditionalExpression': {
        const [then, test, otherwise] = parts.map((p) => this.#value(p))
        const value = graph.node()
        if (then !== undefined) graph.flow(then, value)
        if (otherwise !== undefined) graph.flow(otherwise, value)
        if (test !== undefined) graph.flow(test, value, choice)
        return value
      }
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'SetExpression':
      case 'DictionaryExpression': {
        const value = graph.node()
        for (const p of parts) graph.flow(this.#value(p), value, boxed)
        return value
      }
      case 'ParenthesizedExpression':
        return parts[0] ? this.#value(parts[0]) : graph.node()
      case 'BinaryExpression': {
        const words = children(node).map((c) => this.#text(c))
        const value = graph.node()
        const logical = words[1] === 'and' || words[1] === 'or'
        for (const p of parts) {
          if (logical) graph.flow(this.#value(p), value)
          graph.flow(this.#value(p), value, logical || words.some((w) => CONSTANT_TESTS.has(w)) ? choice : opaque)
        }
        return value
      }
      case 'UnaryExpression': {
        const value = graph.node()
        for (const p of parts) graph.flow(this.#value(p), value, this.#text(node).startsWith('not') ? choice : opaque)
        return value
      }
      default: {
        const value = graph.node()
        for (const p of parts) graph.flow(this.#value(p), value, opaque)
        return value
      }
    }
  }

  /** Of an index or attribute. */
  #key(node: SyntaxNode): string | number | null {
    if (node.name === 'PropertyName') return this.#text(node)
    if (node.name === 'Number') return Number(this.#text(node))
    return node.name === 'String' ? this.#text(node).replace(/^[a-zA-Z]*(['"]{1,3})([\s\S]*)\1$/, '$2') : null
  }

  #comprehension(parts: readonly SyntaxNode[]): Node {
    const value = this.graph.node()
    const first = parts.findIndex((p) => p.name === 'for' || p.name === 'async')
    const tests: Node[] = []
    parts.forEach((p, i) => {
      if (p.name === 'for') {
        const next = parts.findIndex((q, j) => j > i && q.name === 'in')
        tests.push(...this.#loop(parts.slice(i, next + 2)))
      } else if (p.name === 'if') {
        const test = parts[i + 1]
        if (test) tests.push(this.#value(test))
      }
    })
    for (const p of parts.slice(0, first)) if (isSyntax(p)) this.graph.flow(this.#value(p), value, boxed)
    for (const test of tests) this.graph.flow(test, value, choice)
    return value
  }

  #call(node: SyntaxNode): Node {
    const { graph } = this
    const [callee, list] = children(node).filter(isSyntax)
    const result = graph.node()
    if (!callee) return result
    const args = (list ? children(list) : []).filter((c) => isSyntax(c) && c.nextSibling?.name !== 'AssignOp')
    const values = args.map((a) => this.#value(a))
    const ids = [...this.#text(node).matchAll(/["']id["']\s*:\s*(["'])((?:(?!\1)[^\\\n])*)\1/g)].map((m) => m[2] ?? '')
    graph.call(this.#value(callee), values, result, this.#conditions, { start: node.from, line: lineOf(this.#code, node.from), text: this.#text(node), ids, once: this.#returns === null && this.#loops === 0 })
    const isMethod = callee.name === 'MemberExpression'
    const name = isMethod ? this.#text(callee.lastChild ?? callee) : this.#text(callee)
    const object = isMethod ? callee.firstChild : null
    const receiver = object ? this.#value(object) : null
    if (isMethod && this.#isDefined(name)) this.#enter(this.#method(name), [this.#instance, ...values], result)
    if (!isMethod && this.#classes.has(name)) {
      this.#enter(this.#method('__init__'), [this.#instance, ...values], graph.node())
      for (const value of values) graph.flow(value, this.#instance, boxed)
      graph.flow(this.#instance, result)
    }
    // Printing and formatting call what an instance says of itself.
    for (const dunder of ['__str__', '__repr__']) if (this.#isDefined(dunder)) this.#runs(this.#method(dunder), this.#instance)
    if (receiver !== null && name === 'get') graph.flow(receiver, result, member(args[0] ? this.#key(args[0]) : null))
    else if (receiver !== null && name === 'format') graph.flow(receiver, result, opaque)
    else if (receiver !== null) graph.flow(receiver, result, (token) => (token.kind === 'answer' ? token : null))
    const text = new Set(['str', 'repr', 'len', 'int', 'float', 'bool', 'dumps']).has(name)
    const isKnown = !isMethod && this.#isDefined(name)
    if (!isKnown) {
      for (const value of values) {
        // `len` of the list of answers is the number of questions.
        graph.flow(value, result, name === 'len' ? choice : text ? opaque : same)
        if (!text) graph.flow(value, result, element)
      }
      for (const value of values) {
        graph.watch(value, (token) => {
          if (token.kind !== 'function') return
          const fn = graph.functions[token.index]
          for (const source of [...values, ...(receiver === null ? [] : [receiver])]) for (const param of fn?.params ?? []) if (source !== value) graph.flow(source, param, element)
          if (fn) graph.flow(fn.result, result, boxed)
        })
      }
    }
    if (receiver !== null && object && MUTATORS.has(name)) {
      const root = this.#root(object)
      if (root !== null) for (const value of values) graph.flow(value, root, boxed)
      if (root !== null) for (const condition of this.#conditions) graph.flow(condition, root, choice)
    }
    return result
  }

  /** A method is called, perhaps with its instance before the arguments. */
  #enter(method: Node, args: readonly Node[], result: Node): void {
    for (const list of [args, args.slice(1)]) this.graph.call(method, list, result, this.#conditions, { start: -1, line: 0, text: '', ids: [], once: false })
  }

  /** What the functions give when they are run without arguments. */
  #runs(functions: Node, result: Node): void {
    this.graph.watch(functions, (token) => {
      const fn = token.kind === 'function' ? this.graph.functions[token.index] : undefined
      if (fn) this.graph.flow(fn.result, result, boxed)
    })
  }

  #isDefined(name: string): boolean {
    return new RegExp(`\\bdef\\s+${name}\\b`).test(this.#code)
  }

  #function(list: SyntaxNode | null, body: () => void, isAsync: boolean, locals: readonly string[] = []): Node {
    const { graph } = this
    const params: Node[] = []
    const [scopes, inClass] = [this.#scopes, this.#class]
    const names = [...locals, ...(list ? children(list) : []).filter((c) => c.name === 'VariableName').map((c) => this.#text(c))]
    this.#scopes = [...scopes, new Map(names.map((name) => [name, graph.node()]))]
    this.#class = null
    for (const child of list ? children(list) : []) {
      if (child.name !== 'VariableName') continue
      const value = graph.node()
      params.push(value)
      if (child.prevSibling?.name !== 'AssignOp') this.#bind(child, value)
      graph.flow(this.#named(this.#text(child)), value, onlyBoxed)
      // The first parameter of a method is the instance.
      if (inClass !== null && params.length === 1) {
        graph.flow(this.#instance, value)
        graph.flow(this.#named(this.#text(child)), this.#instance)
      }
    }
    const result = graph.node()
    const reached = graph.node()
    const index = graph.functions.push({ params, rest: null, result, reached, isAsync }) - 1
    const [conditions, returns] = [this.#conditions, this.#returns]
    this.#conditions = [reached]
    this.#returns = result
    body()
    this.#conditions = conditions
    this.#returns = returns
    this.#scopes = scopes
    this.#class = inClass
    const value = graph.node()
    graph.add(value, { kind: 'function', index, boxed: false })
    return value
  }
}

/** Variables that a function body binds, other functions and classes inside it left out. */
function localNames(body: SyntaxNode, code: string): string[] {
  const bound = new Set<string>()
  const shared = new Set<string>()
  const add = (node: SyntaxNode, to: Set<string>): void => {
    if (node.name === 'VariableName') to.add(code.slice(node.from, node.to))
    else if (/^(?:Tuple|Array|Parenthesized)Expression$/.test(node.name)) for (const child of children(node)) add(child, to)
  }
  const visit = (node: SyntaxNode): void => {
    if (node.name === 'FunctionDefinition' || node.name === 'ClassDefinition' || node.name === 'LambdaExpression') {
      const name = node.getChild('VariableName')
      if (name) add(name, bound)
      return
    }
    const parts = children(node)
    if (node.name === 'ScopeStatement') for (const part of parts) add(part, shared)
    if (node.name === 'AssignStatement' || node.name === 'UpdateStatement') for (const part of parts.slice(0, parts.findLastIndex((p) => p.name === 'AssignOp' || p.name === 'UpdateOp'))) add(part, bound)
    if (node.name === 'ForStatement') for (const part of parts.slice(0, parts.findIndex((p) => p.name === 'in'))) add(part, bound)
    if (node.name === 'NamedExpression' && parts[0]) add(parts[0], bound)
    if (node.name === 'MatchClause') for (const part of parts) if (part.name !== 'Body') for (const name of captures(part)) add(name, bound)
    for (const part of parts) visit(part)
  }
  visit(body)
  return [...bound].filter((name) => !shared.has(name))
}

/** Names that a pattern of a `case` binds. */
function captures(pattern: SyntaxNode): SyntaxNode[] {
  return children(pattern).flatMap((child) => child.name === 'VariableName' && (pattern.name === 'CapturePattern' || pattern.name === 'AsPattern') ? [child] : captures(child))
}
