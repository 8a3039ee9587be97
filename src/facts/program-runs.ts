import { tryJson } from '../model/canonical.ts'
import { programCode, type Call, type Dispatch } from '../model/session.ts'
import type { Language, NestedCall, ProgramAnalyser, ProgramVerdict } from '../programs/index.ts'
import { readRun, withoutSpillNote } from './run-outcome.ts'

/** Names that only a Python program uses as calls or constants, and words that only the other language has. */
const PYTHON = /^[ \t]*(?:print\(|import \w|from \S+ import |(?:async )?def )|\b(?:None|True|False)\b/m
const TYPESCRIPT = /\b(?:const|let|var|function|console|undefined)\b|=>|[{,]\s*[A-Za-z_]\w*\s*:/

/** While replays of some programs run in their thread, the next ones are parsed here. */
const AHEAD = 32

/** The verdict on the program of each call; null for a call that is no `run_code` or whose program is not whole. */
export async function judgePrograms(calls: Iterable<Call>, programs: ProgramAnalyser): Promise<ReadonlyMap<Call, ProgramVerdict | null>> {
  const verdicts = new Map<Call, ProgramVerdict | null>()
  const rest = [...calls].values()
  await Promise.all(Array.from({ length: AHEAD }, async () => {
    for (const call of rest) verdicts.set(call, await judgeProgram(call, programs))
  }))
  return verdicts
}

/**
 * The verdict on the program of a `run_code` call; null for any other call. The log does not name the language:
 * it is the one in which the text parses, and where both do, the one whose words it uses, or in which it runs.
 */
async function judgeProgram(call: Call, programs: ProgramAnalyser): Promise<ProgramVerdict | null> {
  const code = programCode(call)
  if (code === null) return null
  const outer = call.result && call.result.synthetic === null ? readRun(call.result) : null
  const analyse = (language: Language): Promise<ProgramVerdict> => programs.analyse({
    code, language,
    calls: call.dispatches.map(nestedCall),
    outer: outer && { isError: outer.failure !== null, text: outer.text, omittedBytes: outer.omittedBytes },
  })
  const ambiguous = PYTHON.test(code) && !TYPESCRIPT.test(code)
  const first = await analyse(ambiguous ? 'python' : 'typescript')
  if (first.parse.ok && (ambiguous || first.replay.valid || TYPESCRIPT.test(code))) return first
  const second = await analyse(ambiguous ? 'typescript' : 'python')
  return second.parse.ok ? second : first
}

function nestedCall(dispatch: Dispatch, index: number): NestedCall {
  const { receipt } = dispatch
  return {
    subCallId: dispatch.subCallId,
    number: Number(/(?<!\d)\d+$/.exec(dispatch.subCallId)?.[0] ?? index + 1),
    tool: dispatch.name,
    arguments: tryJson(dispatch.arguments.value) ?? dispatch.arguments.value,
    result: receipt?.text.whole === true ? { isError: receipt.isError, ...withoutSpillNote(receipt.text.value) } : null,
  }
}
