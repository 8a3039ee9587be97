/**
 * A small change of the program that would deliver the answer. Where a statement has the plain form
 * `[const x =] [await] tools.ask_user_question(…)`, the reply gets a name if it has none and is returned or printed;
 * elsewhere the call is tapped.
 */
import { type AskedItem, valuesOf } from './answers.ts'
import { standsLiterally } from './literal.ts'
import { childNodes, lineOf, parseProgram, type SyntaxNode } from './parse.ts'
import type { Replayer } from './replay.ts'
import type { Fix, ItemFlow, ItemReplay, ProgramInput } from './types.ts'

interface Edit { readonly at: number; readonly to: number; readonly text: string }

/** `replayer` null: the program cannot be replayed, the change is only parsed. */
export async function suggestFix(input: ProgramInput, ast: object, item: AskedItem, flow: ItemFlow | null, replay: ItemReplay | null, replayer: Replayer | null): Promise<Fix | null> {
  if (!flow?.site || !item.answer || !needsFix(flow, replay)) return null
  const path = pathTo(ast, input.code, flow.site)
  if (!path) return null
  const change = namedReply(path, input) ?? tappedCall(path, input)
  const parsed = parseProgram(apply(input.code, change.edits))
  if (!parsed.ok) return null
  if (replayer) {
    const text = await replayer.outerTextOf(parsed.javascript, input.calls)
    if (text === null || !valuesOf(item.answer).every((value) => standsLiterally(text, value))) return null
  }
  const { before, after } = change
  return { line: lineOf(input.code, change.at), before: brief(before, flow.site.text), after: brief(after, flow.site.text), verified: replayer ? 'replayed' : 'parsed' }
}

/** The same for Python: the reply is printed after the statement that asks. */
export function suggestPythonFix(code: string, item: AskedItem, flow: ItemFlow | null): Fix | null {
  if (!flow?.site || !item.answer || !needsFix(flow, null)) return null
  const { text, line } = flow.site
  const at = code.indexOf(text, code.split('\n').slice(0, line - 1).join('\n').length)
  const head = /^([ \t]*)(?:([A-Za-z_]\w*)\s*=\s*)?await\s+$/.exec(code.slice(code.lastIndexOf('\n', at) + 1, at))
  if (at === -1 || !head || !/^[ \t]*(?:#.*)?(?:\n|$)/.test(code.slice(at + text.length))) return null
  const name = head[2] ?? 'answer'
  return { line, before: brief(`${head[0].trim()} ${text}`, text), after: `${brief(`${name} = await ${text}`, text)}\nprint(${name})`, verified: 'parsed' }
}

interface Change { readonly at: number; readonly edits: readonly Edit[]; readonly before: string; readonly after: string }

function namedReply(path: Path, input: ProgramInput): Change | null {
  const { code } = input
  const asked = statementOf(path)
  const { name, edit } = asked ? nameOf(asked.statement, code) : { name: null, edit: null }
  if (!asked || name === null) return null
  const { statement } = asked
  const end = outputEdit(asked, name, input)
  const source = code.slice(statement.start, statement.end)
  return {
    at: statement.start, edits: [...(edit ? [edit] : []), end.edit],
    before: [source, ...(end.replaced === null ? [] : [end.replaced])].join('\n'),
    after: [(edit?.text ?? '') + source, end.added].join('\n'),
  }
}

/** Whatever becomes of the promise: what it brings is printed on the way. */
function tappedCall({ call }: Path, { code }: ProgramInput): Change {
  const source = code.slice(call.start, call.end)
  const tap = '.then((reply) => (console.log(JSON.stringify(reply)), reply))'
  return { at: call.start, edits: [{ at: call.end, to: call.end, text: tap }], before: source, after: source + tap }
}

/** The arguments of the call are long and do not change. */
function brief(text: string, call: string): string {
  return text.replace(call, () => `${call.slice(0, call.indexOf('('))}(…)`)
}

function needsFix(flow: ItemFlow, replay: ItemReplay | null): boolean {
  if (replay) return replay.fate !== 'delivered'
  return [flow.selected, flow.custom].every((reach) => reach.returns !== 'value' && reach.logs !== 'value')
}

interface Path { readonly parents: readonly SyntaxNode[]; readonly call: SyntaxNode }

/** The call of the site and what it stands in, outermost first. */
function pathTo(ast: object, code: string, site: { readonly line: number; readonly text: string }): Path | null {
  const visit = (node: object, parents: readonly SyntaxNode[]): Path | null => {
    for (const child of childNodes(node)) {
      if (child.type === 'CallExpression' && code.slice(child.start, child.end) === site.text && lineOf(code, child.start) === site.line) return { parents, call: child }
      const found = visit(child, [...parents, child])
      if (found) return found
    }
    return null
  }
  return visit(ast, [])
}

interface AskedStatement { readonly statement: SyntaxNode; readonly topLevel: boolean }

function statementOf({ parents }: Path): AskedStatement | null {
  const at = parents.findLastIndex((p) => p.type === 'ExpressionStatement' || p.type === 'VariableDeclaration')
  const statement = parents[at]
  const between = parents.slice(at + 1).map((p) => p.type)
  const holder = parents[at - 1]
  if (!statement || between.some((type) => type !== 'AwaitExpression' && type !== 'VariableDeclarator') || (holder && holder.type !== 'BlockStatement')) return null
  return { statement, topLevel: at === 0 }
}

/** The name of the reply, and the edit that gives it one. */
function nameOf(statement: SyntaxNode, code: string): { readonly name: string | null; readonly edit: Edit | null } {
  const source = code.slice(statement.start, statement.end)
  if (statement.type === 'VariableDeclaration') {
    const bound = /^(?:const|let|var)\s+(?:([\p{L}_$][\p{L}\p{N}_$]*)(?:\s*:[^=]*?)?|\{\s*(answers)\s*\})\s*=\s*(await\b)?/u.exec(source)
    return { name: bound?.[3] ? (bound[1] ?? bound[2] ?? null) : null, edit: null }
  }
  let name = 'answer'
  for (let n = 2; new RegExp(`\\b${name}\\b`).test(code); n++) name = `answer${n}`
  return { name, edit: { at: statement.start, to: statement.start, text: `const ${name} = ${/^await\b/.test(source) ? '' : 'await '}` } }
}

/** Returns it in place of a constant or inside a returned object where the program ends so; else prints it. */
function outputEdit({ statement, topLevel }: AskedStatement, name: string, { code, outer }: ProgramInput): { readonly edit: Edit; readonly replaced: string | null; readonly added: string } {
  const rest = code.slice(statement.end)
  const last = /\breturn\s+((["'])(?:(?!\2)[^\\\n])*\2|\{([^{}]*)\})\s*;?\s*$/.exec(rest)
  if (topLevel && last && outer?.isError !== true && !/\b(?:return|throw)\b/.test(rest.slice(0, last.index))) {
    const properties = last[3]?.trim().replace(/,$/, '')
    const added = properties === undefined || properties === '' ? `return ${name}` : `return { ${properties}, ${name} }`
    const at = statement.end + last.index
    return { edit: { at, to: code.length, text: added }, replaced: last[0].trim(), added }
  }
  const added = `console.log(JSON.stringify(${name}))`
  return { edit: { at: statement.end, to: statement.end, text: `${code[statement.end - 1] === ';' ? '' : ';'} ${added};` }, replaced: null, added }
}

function apply(code: string, edits: readonly Edit[]): string {
  return [...edits].toSorted((a, b) => b.at - a.at).reduce((text, { at, to, text: inserted }) => text.slice(0, at) + inserted + text.slice(to), code)
}
