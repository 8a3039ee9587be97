import { readRawRows } from './decode/raw-rows.ts'
import { readLog, type DiagnoseOptions } from './diagnose.ts'
import { InputError, UsageError } from './errors.ts'
import { createFacts } from './facts/index.ts'
import { didYouMean } from './nearest.ts'
import { createProgramAnalyser } from './programs/index.ts'
import { matchAnswers, traceOf, type Trace } from './report/trace.ts'
import { resolveSources } from './source/index.ts'

/** Characters of a raw row that a trace keeps. */
const ROW_CHARS = 64 * 1024

/**
 * Follows the answers that `what` names (a question id, a call or sub call id, or a seq) through the log at `path`.
 * Of several sessions below `path` all are searched. Throws UsageError when nothing matches, InputError when no log
 * can be read.
 */
export async function trace(path: string, what: string, options: DiagnoseOptions = {}): Promise<Trace[]> {
  const { logs, failures } = await resolveSources([path], options)
  if (logs.length === 0) throw failures[0] ?? new InputError('no-log', path, 'no session log found here')
  const programs = createProgramAnalyser({ replay: options.replay ?? true })
  const traces: Trace[] = []
  const known = new Set<string>()
  try {
    for (const log of logs) {
      const session = await readLog(log, options)
      const get = createFacts(session, programs)
      const answers = await get('answers')
      for (const a of answers) known.add(a.question.id)
      const found = matchAnswers(answers, what)
      if (found.length === 0) continue
      const rounds = await get('rounds')
      const bare = found.map((answer) => traceOf(session, answer, rounds))
      const raw = await readRawRows(log.open, log.name, new Set(bare.flatMap((t) => t.rows.map((r) => r.seq))), ROW_CHARS)
      const bySeq = new Map(raw.map((r) => [r.seq, r]))
      traces.push(...bare.map((t) => ({ ...t, rows: t.rows.map((r) => withRaw(r, bySeq.get(r.seq))) })))
    }
  } finally {
    await programs.close()
  }
  if (traces.length > 0) return traces
  const ids = [...known].filter((id) => id !== '')
  const hint = ids.length === 0 ? '; nothing was asked in it' : didYouMean(what, ids) || `; questions: ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}`
  throw new UsageError(`${what} is no question in ${path}, nor a call that asked one or a seq of it${hint}`)
}

function withRaw(row: Trace['rows'][number], raw: { readonly line: number; readonly text: string; readonly chars: number } | undefined): Trace['rows'][number] {
  return raw ? { ...row, raw: raw.text, line: raw.line, chars: raw.chars } : row
}
