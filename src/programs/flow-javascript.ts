/** JavaScript syntax tree → flow graph. */
import type { AnyNode, Expression, Function as FunctionNode, Pattern, Program, Statement, Super } from 'acorn'
import { analyze, type Variable } from 'eslint-scope'
import type { Program as EstreeProgram } from 'estree'
import { boxed, choice, element, FlowGraph, member, type Node, onlyBoxed, opaque, pending, same } from './flow-graph.ts'
import { childNodes, isNode, lineOf, type SyntaxNode } from './parse.ts'

/** Built-in methods that change their receiver, most with their arguments. */
const MUTATORS = new Set(['push', 'unshift', 'splice', 'set', 'add', 'fill', 'append', 'sort', 'reverse', 'pop', 'shift', 'delete', 'clear', 'copyWithin'])
/** Built-in methods whose result is what their callback returns. */
const REPLACERS = new Set(['then', 'map', 'flatMap', 'forEach', 'reduce', 'reduceRight', 'some', 'every', 'findIndex'])
/** Built-in functions that put their other arguments into the first. */
const ASSIGNERS = new Set(['assign', 'defineProperty', 'set'])
const STRINGIFIERS = new Set(['String', 'Number', 'Boolean', 'BigInt', 'parseInt', 'parseFloat', 'encodeURIComponent'])

export function javascriptFlow(ast: Program, code: string): FlowGraph {
  const visitor = new JavaScriptFlow(ast, code)
  visitor.block(ast.body, null)
  visitor.finish()
  visitor.graph.settle()
  return visitor.graph
}

/** The text that a program returns in every case: it has one `return`, at its end, of a constant. */
export function constantReturn(ast: Program): string | null {
  let count = 0
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'ReturnStatement') count++
    if (!/Function/.test(node.type)) for (const child of childNodes(node)) visit(child)
  }
  for (const statement of ast.body) visit({ ...statement })
  const last = ast.body.at(-1)
  if (count !== 1 || !last || !isReturn(last)) return null
  const value = last.argument
  if (value?.type === 'Literal') return typeof value.value === 'string' ? value.value : (value.raw ?? null)
  return value?.type === 'TemplateLiteral' && value.expressions.length === 0 ? (value.quasis[0]?.value.cooked ?? null) : null
}

// The tree's type has no `return` outside functions; the parser was told to allow it.
function isReturn(node: AnyNode): node is Extract<AnyNode, { type: 'ReturnStatement' }> {
  return node.type === 'ReturnStatement'
}

/** Two packages describe one tree. */
function isEstree(node: object): node is EstreeProgram {
  return 'type' in node && node.type === 'Program'
}

/** A getter is no call that a program text shows. */
const NO_SITE = { start: -1, line: 0, text: '', ids: [], once: false } as const

/** Where statements stand: the function they belong to, and what decides that they are reached. */
interface Place { readonly returns: Node | null; readonly self: Node | null }

class JavaScriptFlow {
  readonly graph = new FlowGraph()
  readonly #code: string
  readonly #variables = new Map<object, Variable>()
  readonly #nodes = new Map<Variable | string, Node>()
  readonly #arguments = new Map<object, Variable>()
  #conditions: Node[] = []
  #catching: Node[] = []
  #loops = 0
  #place: Place = { returns: null, self: null }

  constructor(ast: Program, code: string) {
    this.#code = code
    const scopes = isEstree(ast) ? analyze(ast, { ecmaVersion: 2022, sourceType: 'module', ignoreEval: true }).scopes : []
    // Outer scopes come first: the name of a class is declared outside it and once more inside.
    for (const scope of scopes) {
      for (const reference of scope.references) if (reference.resolved) this.#variables.set(reference.identifier, reference.resolved)
      const args = scope.set.get('arguments')
      if (scope.type === 'function' && args) this.#arguments.set(scope.block, args)
      for (const variable of scope.variables) for (const identifier of variable.identifiers) if (!this.#variables.has(identifier)) this.#variables.set(identifier, variable)
    }
    for (const kind of ['tools', 'console', 'process'] as const) this.graph.add(this.#named(kind), { kind })
    this.graph.add(this.#named('globalThis'), { kind: 'globals' })
  }

  #named(key: Variable | string): Node {
    const known = this.#nodes.get(key)
    if (known !== undefined) return known
    const node = this.graph.node()
    this.#nodes.set(key, node)
    return node
  }

  readonly #evaluated: Node[] = []

  /** Code that is made at run time may read every variable. */
  finish(): void {
    for (const result of this.#evaluated) for (const variable of this.#nodes.values()) this.graph.flow(variable, result, opaque)
  }

  #variable(identifier: { readonly name: string }): Node {
    return this.#named(this.#variables.get(identifier) ?? identifier.name)
  }

  // ---- statements ----

  /** Conditions under which a statement leaves early decide about all that come after it. */
  block(statements: readonly (Statement | AnyNode)[], place: Place | null): void {
    const outer = this.#place
    if (place) this.#place = place
    const before = this.#conditions
    for (const statement of statements) {
      const exits = this.#exits(statement)
      this.#statement(statement)
      if (exits.length > 0) this.#conditions = [...this.#conditions, ...exits]
    }
    this.#conditions = before
    this.#place = outer
  }

  /** Test expressions of the branches of this statement that end in an exit, evaluated once more: joining is free. */
  #exits(statement: AnyNode): Node[] {
    const tests: Node[] = []
    const visit = (node: SyntaxNode, decided: readonly SyntaxNode[]): void => {
      if (/Function|^Class/.test(node.type)) return
      if (/^(?:Return|Throw|Break|Continue)Statement$/.test(node.type)) {
        for (const test of decided) tests.push(this.#exitTest(test))
        return
      }
      const test = node['test'] ?? node['discriminant'] ?? (node.type === 'ForOfStatement' ? node['right'] : null)
      for (const child of childNodes(node)) visit(child, isNode(test) && child !== test ? [...decided, test] : decided)
    }
    visit({ ...statement }, [])
    return tests
  }

  readonly #tests = new Map<unknown, Node>()
  /** A node that the test's own evaluation feeds when the statement is visited. */
  #exitTest(test: unknown): Node {
    const known = this.#tests.get(test)
    if (known !== undefined) return known
    const node = this.graph.node()
    this.#tests.set(test, node)
    return node
  }

  #loop(test: Node | null, source: unknown, body: () => void): void {
    this.#loops++
    this.#under(test, source, body)
    this.#loops--
  }

  #under(test: Node | null, source: unknown, body: () => void): void {
    const before = this.#conditions
    if (test !== null) {
      this.graph.flow(test, this.#exitTest(source))
      this.#conditions = [...before, test]
    }
    body()
    this.#conditions = before
  }

  #statements(node: Statement | null | undefined): void {
    if (node) this.block(node.type === 'BlockStatement' ? node.body : [node], null)
  }

  #statement(node: AnyNode): void {
    const { graph } = this
    switch (node.type) {
      case 'ExpressionStatement':
        this.#value(node.expression)
        return
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          if (!init) continue
          const value = this.#value(init)
          this.#bind(id, value)
          this.#alias(init, id.type === 'Identifier' ? this.#variable(id) : null)
        }
        return
      case 'FunctionDeclaration':
        if (node.id) graph.flow(this.#function(node), this.#variable(node.id))
        return
      case 'ClassDeclaration':
        if (node.id) graph.flow(this.#class(node), this.#variable(node.id))
        return
      case 'ReturnStatement': {
        const values = node.argument ? [this.#value(node.argument)] : []
        const { returns } = this.#place
        // The program's own result is awaited; a function passes a promise on.
        if (returns === null) graph.sink(graph.returns, values, this.#conditions, graph.settled)
        else graph.sink(returns, values, this.#conditions, same)
        return
      }
      case 'ThrowStatement': {
        const value = this.#value(node.argument)
        graph.sink(graph.throws, [value], this.#conditions)
        const handler = this.#catching.at(-1)
        if (handler !== undefined) graph.sink(handler, [value], this.#conditions)
        return
      }
      case 'IfStatement':
        this.#under(this.#value(node.test), node.test, () => {
          this.#statements(node.consequent)
          this.#statements(node.alternate)
        })
        return
      case 'ForStatement':
        if (node.init) this.#any(node.init)
        this.#loop(node.test ? this.#value(node.test) : null, node.test, () => {
          if (node.update) this.#value(node.update)
          this.#statements(node.body)
        })
        return
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#loop(this.#value(node.test), node.test, () => this.#statements(node.body))
        return
      case 'ForOfStatement':
      case 'ForInStatement': {
        const list = this.#value(node.right)
        const item = graph.node()
        graph.flow(list, item, node.type === 'ForOfStatement' && node.await ? (t) => graph.settled(t) : element)
        const target = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]?.id : node.left
        if (target) this.#bind(target, item)
        if (target?.type === 'Identifier') this.#alias(node.right, this.#variable(target))
        this.#loop(list, node.right, () => this.#statements(node.body))
        return
      }
      case 'SwitchStatement':
        this.#under(this.#value(node.discriminant), node.discriminant, () => {
          for (const branch of node.cases) {
            if (branch.test) this.#value(branch.test)
            this.block(branch.consequent, null)
          }
        })
        return
      case 'TryStatement': {
        const failure = graph.node()
        this.#catching.push(failure)
        this.#statements(node.block)
        this.#catching.pop()
        if (node.handler) {
          if (node.handler.param) this.#bind(node.handler.param, failure)
          const { body } = node.handler
          this.#under(failure, node.handler, () => this.#statements(body))
        }
        this.#statements(node.finalizer)
        return
      }
      default:
        for (const child of childNodes(node)) this.#any(child)
    }
  }

  /** A child of a node that needs no treatment of its own. */
  #any(node: object): void {
    if (isStatement(node)) this.#statement(node)
    else if (isExpression(node)) this.#value(node)
  }

  // ---- expressions ----

  readonly #values = new Map<object, Node>()

  #value(node: Expression | Super | AnyNode): Node {
    const known = this.#values.get(node)
    if (known !== undefined) return known
    const value = this.#evaluate(node)
    this.#values.set(node, value)
    return value
  }

  #evaluate(node: Expression | Super | AnyNode): Node {
    const { graph } = this
    switch (node.type) {
      case 'Identifier':
        return this.#variable(node)
      case 'Literal':
        return graph.node()
      case 'ThisExpression':
      case 'Super':
        return this.#place.self ?? this.#named('this')
      case 'AwaitExpression': {
        const value = graph.node()
        graph.flow(this.#value(node.argument), value, graph.settled)
        return value
      }
      case 'ParenthesizedExpression':
      case 'ChainExpression':
        return this.#value(node.expression)
      case 'MemberExpression':
        return this.#member(node)
      case 'CallExpression':
      case 'NewExpression':
        return this.#call(node)
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return this.#function(node)
      case 'ClassExpression':
        return this.#class(node)
      case 'AssignmentExpression': {
        const value = this.#value(node.right)
        this.#bind(node.left, value)
        this.#alias(node.right, node.left.type === 'Identifier' ? this.#variable(node.left) : null)
        return value
      }
      case 'ObjectExpression': {
        const object = graph.node()
        for (const property of node.properties) {
          if (property.type === 'SpreadElement') graph.flow(this.#value(property.argument), object)
          else {
            if (property.computed) graph.flow(this.#value(property.key), object, boxed)
            const value = this.#within(object, () => this.#value(property.value))
            graph.flow(value, object, boxed)
            if (property.kind === 'get') graph.call(value, [], object, this.#conditions, NO_SITE)
          }
        }
        return object
      }
      case 'ArrayExpression': {
        const array = graph.node()
        for (const e of node.elements) if (e) graph.flow(e.type === 'SpreadElement' ? this.#value(e.argument) : this.#value(e), array, e.type === 'SpreadElement' ? same : boxed)
        return array
      }
      case 'ConditionalExpression': {
        const test = this.#value(node.test)
        const value = graph.node()
        this.#under(test, node.test, () => {
          graph.flow(this.#value(node.consequent), value)
          graph.flow(this.#value(node.alternate), value)
        })
        graph.flow(test, value, choice)
        return value
      }
      case 'LogicalExpression': {
        const left = this.#value(node.left)
        const value = graph.node(left)
        this.#under(left, node.left, () => graph.flow(this.#value(node.right), value))
        graph.flow(left, value, choice)
        return value
      }
      case 'SequenceExpression':
        return node.expressions.map((e) => this.#value(e)).at(-1) ?? graph.node()
      case 'UnaryExpression':
      case 'UpdateExpression':
        // `void x`, `!object` and `typeof object` tell nothing of what is in it.
        if (node.operator === '++' || node.operator === '--') this.#bind(node.argument, this.#value(node.argument))
        if (node.operator === 'delete') this.#bind(node.argument, graph.node())
        return node.operator === 'void' ? (this.#value(node.argument), graph.node()) : this.#computed([node.argument], node.operator === '!' || node.operator === 'typeof')
      case 'BinaryExpression':
        return this.#computed([node.left, node.right], isNothing(node.left) || isNothing(node.right))
      case 'TemplateLiteral':
        return this.#computed(node.expressions, false)
      case 'YieldExpression': {
        const value = node.argument ? this.#value(node.argument) : graph.node()
        if (this.#place.returns !== null) graph.sink(this.#place.returns, [value], this.#conditions, boxed)
        return value
      }
      default:
        return graph.node(...[...childNodes(node)].flatMap((child) => (isExpression(child) ? [this.#value(child)] : [])))
    }
  }

  #computed(parts: readonly (Expression | AnyNode)[], truthOnly: boolean): Node {
    const value = this.graph.node()
    for (const part of parts) {
      this.graph.flow(this.#value(part), value, truthOnly ? choice : opaque)
      if (!truthOnly) this.graph.convert(this.#value(part), value)
    }
    return value
  }

  #member(node: Extract<AnyNode, { type: 'MemberExpression' }>): Node {
    const object = this.#value(node.object)
    const value = this.graph.node()
    const key = keyOf(node)
    this.graph.flow(object, value, member(key))
    if (node.computed && isExpression(node.property)) this.graph.flow(this.#value(node.property), value, opaque)
    if (key !== null && node.object.type === 'Identifier' && node.object.name === 'globalThis') this.graph.flow(this.#named(String(key)), value)
    return value
  }

  #call(node: Extract<AnyNode, { type: 'CallExpression' | 'NewExpression' }>): Node {
    const { graph } = this
    const { callee } = node
    const args = node.arguments.map((a) => (a.type === 'SpreadElement' ? graph.node(this.#value(a.argument)) : this.#value(a)))
    const result = graph.node()
    const target = this.#value(callee)
    const site = { start: node.start, line: lineOf(this.#code, node.start), text: this.#code.slice(node.start, node.end), ids: staticIds(node.arguments), once: this.#place.returns === null && this.#loops === 0 }
    graph.call(target, args, result, this.#conditions, site)
    node.arguments.forEach((a, i) => this.#alias(a, args[i] ?? null))
    if (callee.type === 'MemberExpression') this.#method(callee, node.arguments, args, result)
    else if (node.type === 'NewExpression' || callee.type !== 'Identifier' || !this.#variables.has(callee)) {
      const text = callee.type === 'Identifier' && STRINGIFIERS.has(callee.name)
      for (const arg of args) graph.flow(arg, result, text ? opaque : same)
      this.#callbacks(args, args, result, element)
    }
    if (callee.type === 'Identifier' && !this.#variables.has(callee)) {
      if (callee.name === 'eval' || callee.name === 'Function') this.#evaluated.push(result)
      if (callee.name === 'Promise') this.#resolvers(args, result)
    }
    // An instance shares one node with its class.
    if (node.type === 'NewExpression') {
      graph.flow(target, result)
      graph.flow(result, target, onlyBoxed)
    }
    return result
  }

  /** A method that may be a built-in one. */
  #method(callee: Extract<AnyNode, { type: 'MemberExpression' }>, sources: readonly AnyNode[], args: readonly Node[], result: Node): void {
    const { graph } = this
    const receiver = this.#value(callee.object)
    const name = keyOf(callee)
    const promise = name === 'then' || name === 'catch' || name === 'finally'
    const isGlobal = callee.object.type === 'Identifier' && !this.#variables.has(callee.object)
    // `JSON.stringify`, `Promise.all`, `Object.entries`, …
    if (isGlobal) {
      for (const arg of args) {
        graph.flow(arg, result, opaque)
        if (name === 'stringify') graph.convert(arg, result)
        else graph.flow(arg, result)
      }
    }
    else for (const arg of args) graph.flow(arg, result, name === 'concat' || name === 'get' || promise ? same : opaque)
    const taken = promise ? graph.settled : name === 'at' ? member(indexOf(sources[0])) : element
    const replaced = REPLACERS.has(String(name)) && /Function/.test(sources[0]?.type ?? '')
    if (replaced) graph.flow(receiver, result, promise ? () => null : ofUnknownLength)
    else graph.flow(receiver, result, promise ? same : name === 'at' ? taken : (token) => (token.kind === 'answer' ? elementAndList(token) : null))
    this.#callbacks(args, isGlobal ? args : [receiver, ...args], result, taken, promise)
    const into = isGlobal ? (ASSIGNERS.has(String(name)) ? sources[0] : undefined) : MUTATORS.has(String(name)) ? callee.object : undefined
    const root = into && this.#root(into)
    if (root !== undefined && root !== null) {
      for (const arg of args) {
        graph.flow(arg, root, boxed)
        // The order that `sort` makes.
        graph.watch(arg, (token) => {
          const fn = token.kind === 'function' ? graph.functions[token.index] : undefined
          if (fn) graph.flow(fn.result, root, opaque)
        })
      }
      for (const condition of this.#conditions) graph.flow(condition, root, choice)
    }
    if (name === 'call' || name === 'apply' || name === 'bind') this.#rebound(receiver, args, result)
  }

  /** `fn.call`, `fn.apply`, `fn.bind`: every argument or its elements may become every parameter, or `this`. */
  #rebound(receiver: Node, args: readonly Node[], result: Node): void {
    const { graph } = this
    graph.watch(receiver, (token) => {
      const fn = token.kind === 'function' ? graph.functions[token.index] : undefined
      if (!fn) return
      graph.add(result, token)
      for (const target of [...fn.params, ...(fn.rest === null ? [] : [fn.rest]), this.#named('this')]) {
        for (const arg of args) {
          graph.flow(arg, target)
          graph.flow(arg, target, element)
        }
      }
      graph.flow(fn.result, result)
    })
  }

  /** `new Promise((resolve, reject) => …)` */
  #resolvers(args: readonly Node[], promise: Node): void {
    for (const arg of args) {
      this.graph.watch(arg, (token) => {
        const fn = token.kind === 'function' ? this.graph.functions[token.index] : undefined
        for (const param of fn?.params ?? []) this.graph.add(param, { kind: 'resolver', promise })
      })
    }
  }

  /** Functions among the arguments are called with elements of the others, and what they return comes back. */
  #callbacks(args: readonly Node[], from: readonly Node[], result: Node, transform: Parameters<FlowGraph['flow']>[2], promise = false): void {
    const { graph } = this
    const conditions = this.#conditions
    for (const arg of args) {
      graph.watch(arg, (token) => {
        if (token.kind !== 'function') return graph.receive(token, from.filter((source) => source !== arg), conditions, transform)
        const fn = graph.functions[token.index]
        if (!fn || token.boxed) return
        for (const source of from) {
          if (source === arg) continue
          for (const param of fn.params) graph.flow(source, param, transform)
        }
        graph.flow(fn.result, result, promise ? pending : same)
        if (!promise) graph.flow(fn.result, result, boxed)
        // reduce: what was returned comes back in.
        for (const param of fn.params) graph.flow(fn.result, param)
        for (const condition of conditions) graph.flow(condition, fn.reached, choice)
      })
    }
  }

  #function(node: FunctionNode): Node {
    const { graph } = this
    const result = graph.node()
    const reached = graph.node()
    const isArrow = node.type === 'ArrowFunctionExpression'
    const params: Node[] = []
    let rest: Node | null = null
    for (const param of node.params) {
      const value = graph.node()
      if (param.type === 'RestElement') {
        rest = value
        this.#bind(param.argument, value)
      } else {
        params.push(value)
        this.#bind(param, value)
        // What the body puts into a parameter stands in the caller's object.
        if (param.type === 'Identifier') graph.flow(this.#variable(param), value, onlyBoxed)
      }
    }
    const list = this.#arguments.get(node)
    if (list) {
      const all = this.#named(list)
      for (const param of params) graph.flow(param, all, boxed)
      rest ??= all
    }
    const index = graph.functions.push({ params, rest, result, reached, isAsync: node.async }) - 1
    const before = this.#conditions
    const catching = this.#catching
    this.#conditions = [reached]
    this.#catching = []
    const place = { returns: result, self: isArrow ? this.#place.self : this.#place.self ?? this.#named('this') }
    if (node.body.type === 'BlockStatement') this.block(node.body.body, place)
    else {
      const outer = this.#place
      this.#place = place
      graph.sink(result, [this.#value(node.body)], [], same)
      this.#place = outer
    }
    this.#conditions = before
    this.#catching = catching
    const value = graph.node()
    graph.add(value, { kind: 'function', index, boxed: false })
    return value
  }

  #class(node: Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>): Node {
    const { graph } = this
    const self = graph.node()
    if (node.superClass) graph.flow(this.#value(node.superClass), self)
    const outer = this.#place
    this.#place = { returns: outer.returns, self }
    for (const part of node.body.body) {
      if (part.type === 'StaticBlock') this.block(part.body, null)
      else if (part.value) {
        const value = this.#value(part.value)
        // Constructors run with `new`, getters and setters without a call.
        graph.flow(value, self, part.type === 'MethodDefinition' && part.kind === 'constructor' ? same : boxed)
        if (part.type === 'MethodDefinition' && part.kind === 'get') graph.call(value, [], self, this.#conditions, NO_SITE)
      }
    }
    this.#place = outer
    return self
  }

  /** Functions in an object literal have it as `this`. */
  #within(self: Node, work: () => Node): Node {
    const outer = this.#place
    this.#place = { ...outer, self }
    const value = work()
    this.#place = outer
    return value
  }

  // ---- targets ----

  #bind(target: Pattern | AnyNode, value: Node): void {
    const { graph } = this
    const part = (key: string | number | null): Node => {
      const inner = graph.node()
      graph.flow(value, inner, member(key))
      return inner
    }
    switch (target.type) {
      case 'Identifier': {
        const variable = this.#variable(target)
        graph.flow(value, variable)
        for (const condition of this.#conditions) graph.flow(condition, variable, choice)
        return
      }
      case 'ObjectPattern':
        for (const property of target.properties) {
          if (property.type === 'RestElement') this.#bind(property.argument, value)
          else this.#bind(property.value, part(property.computed ? null : property.key.type === 'Identifier' ? property.key.name : property.key.type === 'Literal' ? String(property.key.value) : null))
        }
        return
      case 'ArrayPattern':
        target.elements.forEach((e, i) => {
          if (e) this.#bind(e.type === 'RestElement' ? e.argument : e, e.type === 'RestElement' ? value : part(i))
        })
        return
      case 'AssignmentPattern': {
        const fallback = this.#value(target.right)
        this.#bind(target.left, graph.node(value, fallback))
        return
      }
      case 'MemberExpression': {
        const root = this.#root(target)
        if (root === null) return
        graph.flow(value, root, boxed)
        if (target.computed && isExpression(target.property)) graph.flow(this.#value(target.property), root, opaque)
        for (const condition of this.#conditions) graph.flow(condition, root, choice)
        return
      }
      default:
    }
  }

  /** The variable through which an object is reached: `a` of `a.b[c].d`. */
  #root(node: AnyNode): Node | null {
    switch (node.type) {
      case 'MemberExpression':
        if (node.object.type === 'Identifier' && node.object.name === 'globalThis') return this.#named(String(keyOf(node)))
        return this.#root(node.object)
      case 'Identifier': return this.#variable(node)
      case 'ThisExpression': return this.#value(node)
      case 'CallExpression': return node.callee.type === 'MemberExpression' ? this.#root(node.callee) : null
      case 'ChainExpression': return this.#root(node.expression)
      case 'ObjectExpression':
      case 'ArrayExpression':
      case 'NewExpression': return this.#value(node)
      default: return null
    }
  }

  /** Two names of one object: what is put into it through one shows through the other. */
  #alias(source: AnyNode, name: Node | null): void {
    const root = name === null ? null : this.#root(source)
    if (root !== null && name !== null && root !== name) this.graph.flow(name, root, onlyBoxed)
  }
}

function elementAndList(token: Extract<Parameters<typeof element>[0], { kind: 'answer' }>): readonly (typeof token)[] {
  const inner = element(token)
  if (inner === null || !('kind' in inner)) return [token]
  return inner.kind === 'answer' ? [token, inner] : [token]
}

/** How many answers there are is known, how many labels are ticked is not. */
const ofUnknownLength: typeof opaque = (token) =>
  token.kind === 'answer' && !token.boxed && (token.part === 'reply' || token.part === 'answers' || token.part === 'item') ? null : opaque(token)

function keyOf(node: Extract<AnyNode, { type: 'MemberExpression' }>): string | number | null {
  if (!node.computed) return node.property.type === 'Identifier' ? node.property.name : node.property.type === 'PrivateIdentifier' ? `#${node.property.name}` : null
  return indexOf(node.property)
}

function indexOf(node: AnyNode | undefined): string | number | null {
  return node?.type === 'Literal' && (typeof node.value === 'string' || typeof node.value === 'number') ? node.value : null
}

function isNothing(node: AnyNode): boolean {
  return (node.type === 'Literal' && node.value === null) || (node.type === 'Identifier' && node.name === 'undefined')
}

/** Texts that stand as `id: '…'` in the arguments. */
function staticIds(args: readonly object[]): string[] {
  const ids: string[] = []
  const visit = (node: SyntaxNode): void => {
    const key = node['key']
    const value = node['value']
    if (node.type === 'Property' && isNode(key) && (key['name'] === 'id' || key['value'] === 'id') && isNode(value) && typeof value['value'] === 'string') ids.push(value['value'])
    for (const child of childNodes(node)) visit(child)
  }
  for (const arg of args) if (isNode(arg)) visit(arg)
  return ids
}

function isStatement(node: object): node is Statement {
  return isNode(node) && /(?:Statement|Declaration)$/.test(node.type)
}

function isExpression(node: object): node is Expression {
  return isNode(node) && !isStatement(node) && /Expression$|^(?:Identifier|Literal|TemplateLiteral|Super)$/.test(node.type)
}
