/**
 * From the text of a receipt back to the value the program got.
 * The harness gives the program a tool's structured value and logs its rendering; the shapes below are those of its
 * standard tools. They are guesses until a replay has reproduced the recorded outer text with them.
 */
import { isRecord, QUESTION_TOOL } from './answers.ts'
import type { NestedCall, ResultText } from './types.ts'

export type Served =
  | { readonly kind: 'value'; readonly json: string }
  /** A value that may be passed on but not looked at. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'error'; readonly message: string }

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isWhole(result: ResultText): boolean {
  return (result.omittedBytes ?? 0) === 0
}

/** What a rendering does not tell; the first guess that reproduces the recorded run counts. */
const GUESSES = [
  { stream: 'stdout', text: false },
  { stream: 'stderr', text: false },
  // Every tool but the question tool gave the program the text itself.
  { stream: 'stdout', text: true },
] as const
type Guess = (typeof GUESSES)[number]
export const VARIANTS = GUESSES.length

export function serve(call: Pick<NestedCall, 'tool' | 'arguments'>, result: ResultText, variant: number): Served {
  if (result.isError) return { kind: 'error', message: result.text.replace(/^Error: /, '') }
  if (!isWhole(result)) return { kind: 'opaque' }
  const guess = GUESSES[variant] ?? GUESSES[0]
  if (guess.text && call.tool !== QUESTION_TOOL) return { kind: 'value', json: JSON.stringify(result.text) }
  const value = structured(call.tool, isRecord(call.arguments) ? call.arguments : {}, result.text, guess)
  return value === undefined ? { kind: 'opaque' } : { kind: 'value', json: JSON.stringify(value) }
}

function structured(tool: string, args: Record<string, unknown>, text: string, guess: Guess): unknown {
  switch (tool) {
    case 'bash':
      return bash(text, guess)
    case 'read':
      return read(args, text)
    case 'write':
      return write(args, text)
    case 'grep':
      return grep(text)
    case 'glob':
      return { paths: text === 'No files found' ? [] : text.split('\n') }
    default: {
      // Tools that render JSON render their value.
      const value = parsed(text)
      return typeof value === 'object' && value !== null ? value : undefined
    }
  }
}

function bash(text: string, guess: Guess): unknown {
  if (text.startsWith('started background job ')) return undefined
  const exit = /\n?\[exit code: (\d+)\]\s*$/.exec(text)
  const output = text === '(no output)' ? '' : exit ? text.slice(0, exit.index) : text
  const stderr = guess.stream === 'stderr'
  return {
    kind: 'foreground', exitCode: exit ? Number(exit[1]) : 0, signal: null, timedOut: false, aborted: false, timeoutMs: 60_000,
    stdout: { text: stderr ? '' : output, truncated: false }, stderr: { text: stderr ? output : '', truncated: false },
    sandbox: { mode: 'danger-full-access', denied: false },
  }
}

function pathOf(text: string): string | null {
  return /^<path>(.*)<\/path>\n/.exec(text)?.[1] ?? null
}

function read(args: Record<string, unknown>, text: string): unknown {
  const path = pathOf(text)
  const body = /<content>\n([\s\S]*?)\n\n\(End of file - total (\d+) lines\)\n<\/content>\s*$/.exec(text)
  if (path === null || !body) return undefined
  const lines: { number: number; text: string }[] = []
  for (const line of (body[1] ?? '').split('\n')) {
    const m = /^(\d+): ([\s\S]*)$/.exec(line)
    if (!m) return undefined
    lines.push({ number: Number(m[1]), text: m[2] ?? '' })
  }
  return { path, offset: typeof args['offset'] === 'number' ? args['offset'] : 1, lines, totalLines: Number(body[2]) }
}

function write(args: Record<string, unknown>, text: string): unknown {
  const path = pathOf(text)
  const content = args['content']
  if (path === null || typeof content !== 'string') return undefined
  if (text.includes('\nCreated file\n')) return { path, operation: 'create', before: null, after: content }
  // What stood there before is not in the log.
  return text.includes('\nUpdated file\n') ? { path, operation: 'update', after: content } : undefined
}

function grep(text: string): unknown {
  if (text === 'No matches found') return { matches: [] }
  const matches: { path: string; lineNumber: number; line: string }[] = []
  for (const block of text.split('\n\n').slice(1)) {
    const [path, ...lines] = block.split('\n')
    for (const line of lines) {
      const m = /^Line (\d+): (.*)$/.exec(line)
      if (!m || path === undefined) return undefined
      matches.push({ path, lineNumber: Number(m[1]), line: m[2] ?? '' })
    }
  }
  return /^Found \d+ match/.test(text) ? { matches } : undefined
}
