/**
 * TypeScript program bodies → plain JavaScript of the same length and lines, and its syntax tree.
 * The harness erases types and never transforms: an enum, a namespace with values or a parameter property does not start there either.
 */
import { tsPlugin } from '@sveltejs/acorn-typescript'
import { type Options, Parser, type Program } from 'acorn'

export type ParsedProgram =
  | { readonly ok: true; readonly ast: Program; /** The body without types: same offsets as the program text. */ readonly javascript: string }
  | { readonly ok: false; readonly message: string; readonly line: number }

// A body is the inside of an async function in strict mode: `return`, `await` and no `with`.
const OPTIONS = { ecmaVersion: 'latest', sourceType: 'module', locations: true, ranges: true, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true } as const satisfies Options
const TypeScriptParser = Parser.extend(tsPlugin())
/** Nesting beyond this is refused: parsers recurse. */
const MAX_DEPTH = 2_000

export function parseProgram(code: string): ParsedProgram {
  try {
    refuseDeepNesting(code)
    const plain = attempt(() => Parser.parse(code, OPTIONS))
    if (plain) return { ok: true, ast: plain, javascript: code }
    const javascript = eraseTypes(code, TypeScriptParser.parse(code, OPTIONS))
    return { ok: true, ast: Parser.parse(javascript, OPTIONS), javascript }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const at = /\((\d+):\d+\)$/.exec(message)
    return { ok: false, message: message.replace(/ \(\d+:\d+\)$/, ''), line: Number(at?.[1] ?? 1) }
  }
}

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}

function refuseDeepNesting(code: string): void {
  let depth = 0
  for (let i = 0; i < code.length; i++) {
    const c = code[i]
    if (c === '(' || c === '[' || c === '{') depth++
    else if (c === ')' || c === ']' || c === '}') depth--
    if (depth > MAX_DEPTH) throw new SyntaxError('nested too deeply')
  }
}

export interface AnyRecord { readonly [key: string]: unknown }

/** A syntax node of whatever parser: a record with `type` and offsets. */
export interface SyntaxNode extends AnyRecord { readonly type: string; readonly start: number; readonly end: number }

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value && 'end' in value
}

/** Child nodes in no particular order. */
export function* childNodes(node: object): Generator<SyntaxNode> {
  for (const value of Object.values(node)) {
    if (isNode(value)) yield value
    else if (Array.isArray(value)) for (const element of value) if (isNode(element)) yield element
  }
}

const TRANSFORMED: Readonly<Record<string, string>> = {
  TSEnumDeclaration: 'enum', TSModuleDeclaration: 'namespace', TSParameterProperty: 'parameter property',
  TSImportEqualsDeclaration: 'import =', TSExportAssignment: 'export =',
}
/** Nodes of which one child is the JavaScript and the rest is type syntax. */
const WRAPPERS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression', 'TSTypeAssertion', 'TSInstantiationExpression'])
const MODIFIERS = /\b(?:public|private|protected|readonly|abstract|override|declare)\b/g

/** Blanks type syntax with spaces. Throws SyntaxError on syntax that needs a transformation. */
function eraseTypes(code: string, root: object): string {
  const out = code.split('')
  const blank = (from: number, to: number): void => {
    for (let i = from; i < to; i++) if (out[i] !== '\n' && out[i] !== '\r') out[i] = ' '
  }
  const blankMatches = (from: number, to: number, pattern: RegExp): void => {
    for (const m of code.slice(from, to).matchAll(pattern)) blank(from + m.index, from + m.index + m[0].length)
  }
  const visit = (node: SyntaxNode): void => {
    const transformed = TRANSFORMED[node.type]
    if (transformed !== undefined && node['declare'] !== true) throw new SyntaxError(`TypeScript ${transformed} needs a transformation, the harness only erases types`)
    const inner = node['expression']
    if (WRAPPERS.has(node.type) && isNode(inner)) {
      blank(node.start, inner.start)
      blank(inner.end, node.end)
      keepParentheses(code, out, node, inner)
      return visit(inner)
    }
    if (node.type.startsWith('TS') || node['declare'] === true || node['importKind'] === 'type' || node['exportKind'] === 'type' || isOverload(node)) {
      return blank(node.start, node.end)
    }
    if (node.type === 'Identifier' && node['optional'] === true) blankMatches(node.start, annotationStart(node), /\?/g)
    if (isMember(node)) {
      const key = node['key']
      if (isNode(key)) {
        blankMatches(node.start, key.start, MODIFIERS)
        const value = node['value']
        if (node.type === 'PropertyDefinition') blankMatches(key.end, isNode(value) ? Math.min(value.start, annotationStart(node)) : annotationStart(node), /[?!]/g)
        else if (node['optional'] === true) blankMatches(key.end, key.end + 1, /\?/g)
      }
    }
    if (node['definite'] === true && isNode(node['id'])) blankMatches(node['id'].start, node['id'].end + 1, /!/g)
    if (node.type.startsWith('Class')) {
      const body = node['body']
      if (isNode(body)) {
        blankMatches(node.start, node.start + 'abstract'.length, /^abstract/g)
        const list = node['implements']
        if (Array.isArray(list) && isNode(list[0])) {
          const from = code.lastIndexOf('implements', list[0].start)
          blank(from, body.start)
        }
      }
    }
    const params = node['params']
    if (Array.isArray(params) && isNode(params[0]) && params[0]['name'] === 'this') {
      const comma = /^\s*,/.exec(code.slice(params[0].end))
      blank(params[0].start, params[0].end + (comma?.[0].length ?? 0))
    }
    for (const child of childNodes(node)) visit(child)
  }
  for (const child of childNodes(root)) visit(child)
  return out.join('')
}

/** Parentheses around the inner expression lie outside it and are no type syntax: `(x as any) as string`. */
function keepParentheses(code: string, out: string[], node: SyntaxNode, inner: SyntaxNode): void {
  let open = 0
  for (let i = node.start; i < inner.start; i++) {
    if (code[i] !== '(') continue
    out[i] = '('
    open++
  }
  for (let i = inner.end; i < node.end && open > 0; i++) {
    if (code[i] !== ')') continue
    out[i] = ')'
    open--
  }
}

function annotationStart(node: SyntaxNode): number {
  const annotation = node['typeAnnotation']
  return isNode(annotation) ? annotation.start : node.end
}

function isMember(node: SyntaxNode): boolean {
  return node.type === 'PropertyDefinition' || node.type === 'MethodDefinition' || node.type === 'AccessorProperty'
}

/** A function or method without a body is a signature. */
function isOverload(node: SyntaxNode): boolean {
  if (node.type === 'FunctionDeclaration') return !isNode(node['body'])
  if (node['abstract'] === true && isMember(node)) return true
  const value = node['value']
  return node.type === 'MethodDefinition' && isNode(value) && !isNode(value['body'])
}

export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < offset; i = text.indexOf('\n', i + 1)) line++
  return line
}

