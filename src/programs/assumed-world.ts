/**
 * With another answer a program makes calls that the log does not have. This is the world they are likely to have met:
 * each step ends as the recorded one did, and files hold what this run wrote into them. Nothing here is certain.
 */
import { type Answer, isRecord, QUESTION_TOOL, readAnswers } from './answers.ts'
import type { NestedCall, ResultText } from './types.ts'

type AnyCall = Pick<NestedCall, 'tool' | 'arguments'>
/** A text that the recorded run put into a file, and what this run put there. */
interface Change { readonly recorded: string; readonly now: string }

export class AssumedWorld {
  readonly #recorded: readonly NestedCall[]
  /** By path, of this run. */
  readonly #files = new Map<string, string>()
  readonly #changes = new Map<string, readonly Change[]>()

  constructor(recorded: readonly NestedCall[]) {
    this.#recorded = recorded
  }

  /** The result of a recorded call, in this run; null: it never settled. */
  again(call: NestedCall): ResultText | null {
    this.#store(call, call)
    if (!call.result || call.result.isError) return call.result
    const text = this.#rewritten(call, call.result.text)
    return text === call.result.text ? call.result : { ...call.result, text }
  }

  /** A likely result of a call that is not in the log; null: not known. `position`: how many calls the program made before. */
  instead(call: AnyCall, position: number): ResultText | null {
    const step = this.#recorded[position]
    const same = step?.tool === call.tool ? step : undefined
    const path = argument(call, 'file_path')
    this.#store(call, same && argument(same, 'file_path') === path ? same : this.#recorded.find((c) => c.tool === call.tool && argument(c, 'file_path') === path))
    if (same?.result?.isError) return { isError: true, text: withArgumentsOf(call, same, same.result.text) }
    const text = this.#likely(call, path, same)
    return text === null ? null : { isError: false, text }
  }

  #store(call: AnyCall, counterpart: AnyCall | undefined): void {
    const path = argument(call, 'file_path')
    const key = call.tool === 'write' ? 'content' : call.tool === 'edit' ? 'new_string' : null
    const now = key && argument(call, key)
    if (path === null || key === null || now === null) return
    if (call.tool === 'write') this.#files.set(path, now)
    const recorded = counterpart ? argument(counterpart, key) : null
    const before = call.tool === 'write' ? [] : (this.#changes.get(path) ?? [])
    this.#changes.set(path, recorded === null || recorded === '' || recorded === now ? before : [...before, { recorded, now }])
  }

  /** What the call shows of a file is what this run wrote there. */
  #rewritten(call: AnyCall, text: string): string {
    for (const [path, changes] of this.#changes) {
      if (call.tool === 'read' ? argument(call, 'file_path') !== path : call.tool !== 'grep' && !(argument(call, 'command') ?? '').includes(path)) continue
      for (const change of changes) text = call.tool === 'read' ? inNumberedLines(text, change) : withChange(text, change)
    }
    return text
  }

  #likely(call: AnyCall, path: string | null, step: NestedCall | undefined): string | null {
    const head = `<path>${path}</path>\n<type>file</type>\n<content>\n`
    const known = path === null ? undefined : this.#recorded.find((c) => c.tool === call.tool && c.result?.isError === false && argument(c, 'file_path') === path)
    if (known?.result) return this.#rewritten(call, known.result.text)
    switch (call.tool) {
      case 'write':
        return `${head}Created file\n</content>`
      case 'read':
        return `${head}${numbered(this.#files.get(path ?? '') ?? `content of ${path}`)}\n</content>`
      // Other words are found elsewhere.
      case 'grep':
        return 'No matches found'
      case 'glob':
        return 'No files found'
      case 'bash': {
        // Likely to end alike, with other output.
        const exit = /\[exit code: \d+\]\s*$/.exec(step?.result?.text ?? '')?.[0] ?? ''
        return `output of ${JSON.stringify(call.arguments)}\n${exit}`
      }
      case QUESTION_TOOL:
        return this.#answers(call, step)
      default:
        return null
    }
  }

  /** The human answers the same question alike; the one of this step first. */
  #answers({ arguments: args }: AnyCall, step: NestedCall | undefined): string {
    const known = new Map([...this.#recorded, ...(step ? [step] : [])].flatMap((c) => (c.tool === QUESTION_TOOL && c.result ? readAnswers(c.result.text) : [])).map((a) => [a.id, a]))
    const questions = isRecord(args) && Array.isArray(args['questions']) ? args['questions'].filter(isRecord) : []
    return JSON.stringify({ answers: questions.map((q): Answer => known.get(String(q['id'])) ?? { id: String(q['id']), selected: [], custom: 'an answer' }) })
  }
}

function argument({ arguments: args }: AnyCall, name: string): string | null {
  const value = isRecord(args) ? args[name] : undefined
  return typeof value === 'string' ? value : null
}

/** An error speaks of the arguments of its own call. */
function withArgumentsOf(call: AnyCall, recorded: AnyCall, text: string): string {
  if (!isRecord(recorded.arguments)) return text
  for (const name of Object.keys(recorded.arguments)) {
    const was = argument(recorded, name)
    const now = argument(call, name)
    if (was !== null && was !== '' && now !== null && was !== now) text = text.replaceAll(was, () => now)
  }
  return text
}

/** The whole text where it stands, else line by line. */
function withChange(text: string, change: Change): string {
  const recorded = change.recorded.replace(/\n$/, '')
  const now = change.now.replace(/\n$/, '')
  if (recorded !== '' && text.includes(recorded)) return text.replaceAll(recorded, () => now)
  const was = recorded.split('\n')
  const is = now.split('\n')
  if (was.length !== is.length) return text
  return was.reduce((rest, line, i) => (line === '' || line === is[i] ? rest : rest.replaceAll(line, () => is[i] ?? '')), text)
}

const READ = /^([^]*?<content>\n)([^]*)\n\n\(End of file - total \d+ lines\)(\n<\/content>\s*)$/

function inNumberedLines(text: string, change: Change): string {
  const [, head, body, tail] = READ.exec(text) ?? []
  if (head === undefined || body === undefined || tail === undefined) return text
  const plain = body.replace(/^\d+: /gm, '')
  const changed = withChange(plain, change)
  return changed === plain ? text : `${head}${numbered(changed)}${tail}`
}

function numbered(content: string): string {
  const lines = content.replace(/\n$/, '').split('\n')
  return `${lines.map((line, i) => `${i + 1}: ${line}`).join('\n')}\n\n(End of file - total ${lines.length} lines)`
}
