/** Entry of the room: data flow and sealed replay of one program, joined per question item. */
import { type AskedItem, askedItems, QUESTION_TOOL } from './answers.ts'
import { suggestFix, suggestPythonFix } from './fix.ts'
import type { FlowGraph } from './flow-graph.ts'
import { constantReturn, javascriptFlow } from './flow-javascript.ts'
import { parsePython, pythonFlow } from './flow-python.ts'
import { parseProgram } from './parse.ts'
import { createReplayer, type Replayer, type ReplayResult } from './replay.ts'
import type { Fix, ItemFlow, ItemReplay, ProgramAnalyser, ProgramInput, ProgramVerdict } from './types.ts'

export type { Fix, How, ItemFlow, ItemReplay, ItemVerdict, Language, NestedCall, ProgramAnalyser, ProgramInput, ProgramVerdict, Reach } from './types.ts'

/** Beyond this a program is not analysed. */
const MAX_CODE_CHARS = 200_000

export function createProgramAnalyser(options: { readonly replay: boolean }): ProgramAnalyser {
  const replayer = options.replay ? createReplayer() : null
  return {
    analyse: (input) => analyse(input, replayer),
    rest: async () => replayer?.rest(),
    close: async () => replayer?.close(),
  }
}

async function analyse(input: ProgramInput, replayer: Replayer | null): Promise<ProgramVerdict> {
  const items = askedItems(input.calls)
  const failed = (message: string, line: number): ProgramVerdict => ({
    parse: { ok: false, message, line }, replay: { valid: false, because: 'the program does not parse' }, constantReturn: null,
    items: items.map((item) => ({ subCallId: item.call.subCallId, index: item.index, flow: null, replay: null, fix: null })),
  })
  if (input.code.length > MAX_CODE_CHARS) return failed('too long to be analysed', 1)
  try {
    return await analyseParsed(input, items, failed, replayer)
  } catch (error) {
    // Parsers and tree walks recurse.
    if (error instanceof RangeError) return failed('nested too deeply', 1)
    throw error
  }
}

async function analyseParsed(input: ProgramInput, items: readonly AskedItem[], failed: (message: string, line: number) => ProgramVerdict, replayer: Replayer | null): Promise<ProgramVerdict> {
  if (input.language === 'python') {
    const parsed = parsePython(input.code)
    if (!parsed.ok) return failed(parsed.message, parsed.line)
    return verdict(input, items, pythonFlow(parsed.tree, input.code), { valid: false, because: 'Python programs are not replayed' }, null, async (item, flow) => suggestPythonFix(input.code, item, flow))
  }
  const parsed = parseProgram(input.code)
  if (!parsed.ok) return failed(parsed.message, parsed.line)
  const graph = javascriptFlow(parsed.ast, input.code)
  const replay = await runReplay(input, parsed.javascript, items, replayer)
  return verdict(input, items, graph, replay, constantReturn(parsed.ast), (item, flow, result) => suggestFix(input, parsed.ast, item, flow, result, replay.valid ? replayer : null))
}

async function runReplay({ calls, outer }: ProgramInput, javascript: string, items: readonly AskedItem[], replayer: Replayer | null): Promise<ReplayResult> {
  if (!replayer) return { valid: false, because: 'replay is off' }
  if (!outer) return { valid: false, because: 'there is no outer text to compare with' }
  if (calls.some((c) => c.result === null)) return { valid: false, because: 'a nested call has no receipt' }
  if (!items.some((item) => item.answer)) return { valid: false, because: 'there is no answer to vary' }
  return replayer.replay({ javascript, calls, outer, items })
}

async function verdict(
  input: ProgramInput, items: readonly AskedItem[], graph: FlowGraph, replay: ReplayResult, constant: string | null,
  fix: (item: AskedItem, flow: ItemFlow | null, replayed: ItemReplay | null) => Promise<Fix | null>,
): Promise<ProgramVerdict> {
  const asks = graph.sites.flatMap((site, i) => (site.tool === QUESTION_TOOL || site.tool === '*' ? [i] : []))
  const verdicts = []
  for (const [i, item] of items.entries()) {
    const sites = sitesOf(item, input, graph, asks)
    const flow = sites.length > 0 ? graph.itemFlow(sites, item.index) : null
    const replayed = replay.valid ? (replay.items[i] ?? null) : null
    verdicts.push({ subCallId: item.call.subCallId, index: item.index, flow, replay: replayed, fix: await fix(item, flow, replayed) })
  }
  return { parse: { ok: true }, replay: replay.valid ? { valid: true, outerText: replay.outerText } : replay, constantReturn: constant, items: verdicts }
}

/** The call sites that may have asked the question: by the ids in their arguments, else by position, else all. */
function sitesOf(item: AskedItem, { calls }: ProgramInput, graph: FlowGraph, asks: readonly number[]): readonly number[] {
  if (asks.length < 2) return asks
  const named = asks.filter((i) => graph.sites[i]?.ids.includes(item.id))
  const open = asks.filter((i) => graph.sites[i]?.ids.length === 0)
  if (named.length === 1 && open.length === 0) return named
  const asked = calls.filter((c) => c.tool === QUESTION_TOOL)
  if (asked.length === asks.length && asks.every((i) => graph.sites[i]?.once === true)) {
    const inOrder = [...asks].toSorted((a, b) => (graph.sites[a]?.start ?? 0) - (graph.sites[b]?.start ?? 0))
    const site = inOrder[asked.indexOf(item.call)]
    return site === undefined ? asks : [site]
  }
  return named.length > 0 ? [...named, ...open] : asks
}
