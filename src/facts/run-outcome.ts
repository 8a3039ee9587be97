import type { CallResult } from '../model/session.ts'
import { SPILL_NOTE } from '../model/questions.ts'

/** What the harness writes for a run that printed and returned nothing (dsh-tools). */
export const NO_OUTPUT = '(run_code completed with no output)'

/** Lines the harness adds behind the program's own text (dsh-tools, from 0.1.7); only ever at the end. */
const HARNESS_LINES = /(?:^|\n)(?:The \S+ file sandbox denied an operation\.|File sandbox: |[^\n]{0,200}file sandbox enforcement is partial)[^]{0,2000}$/i

const FAILURE = /^Error: code run failed \(([a-z-]+)\): /

/** The `tool/result` of a `run_code` call, read. */
export interface RunOutcome {
  /** Null: the run succeeded. exception · timeout · abort · worker-exit · invalid-output · output-limit · interrupted · … */
  readonly failure: string | null
  /** What the program itself said: without lines the harness added. Of a spilled result: head and tail. */
  readonly text: string
  /** Bytes that a spill left out between the head and the tail that `text` joins; 0: the text is complete. */
  readonly omittedBytes: number
  /** The program succeeded without any output. */
  readonly silent: boolean
}

export function readRun(result: CallResult): RunOutcome {
  const raw = result.text.value
  const { text: kept, omittedBytes } = withoutSpillNote(raw)
  const stripped = kept.replace(HARNESS_LINES, '')
  const failure = result.isError ? failureOf(result, raw) : null
  const text = failure === null && stripped === '' ? NO_OUTPUT : stripped
  return { failure, text, omittedBytes, silent: failure === null && text === NO_OUTPUT }
}

/** Head and tail of a spilled text, joined without a seam, and the bytes missing between them (0: not spilled). */
export function withoutSpillNote(text: string): { readonly text: string; readonly omittedBytes: number } {
  const note = SPILL_NOTE.exec(text)
  return note ? { text: text.slice(0, note.index), omittedBytes: Number(/\d+/.exec(note[0])?.[0] ?? 0) } : { text, omittedBytes: 0 }
}

function failureOf(result: CallResult, text: string): string {
  if (result.synthetic !== null) return 'interrupted'
  const kind = FAILURE.exec(text)?.[1]
  if (kind !== undefined) return kind
  return result.error?.code.startsWith('ABORTED') === true || text === 'Error: tool call aborted' ? 'abort' : 'exception'
}
