/**
 * What the model did to the files, as far as its calls show. The point is not the files but whether a state was there
 * before: a change that leads back, or that writes the same again with another time in it, is none.
 */
import { hash } from 'node:crypto'
import type { LeafCall } from './leaf-calls.ts'
import { fileChange, readPath, type FileChange } from './tools.ts'
import { withoutRound, withoutVolatile } from './volatile.ts'

export interface Change {
  /** A state that was never there; else one that was there before something else. */
  readonly isNew: boolean
  /** Names the state of the file that it led back to; null: it is new. */
  readonly backTo: bigint | null
}

const NEW: Change = { isNew: true, backTo: null }

type FileEdit = Extract<FileChange, { readonly kind: 'edit' }>['edits'][number]

interface FileState {
  readonly path: string
  /** Number of unknown changes to all files that it knows of. */
  age: number
  /** Whole text; null: not known. */
  text: string | null
  /** While the text is not known: what stands there now → what stood there before the edits, and its part in `id`. */
  readonly replaced: Map<string, { readonly first: string; readonly difference: bigint }>
  /** Names the state; 0 is the one the model found. */
  id: bigint
  /** The model changed it after it had read it. */
  touched: boolean
  wasRead: boolean
}

export class Workspace {
  readonly #files = new Map<string, FileState>()
  /** State of a file, by number of path and content → its id. */
  readonly #states = new Map<bigint, bigint>()
  readonly #commands = new Set<number>()
  /** Numbers of whole texts the model wrote. */
  readonly #written = new Set<bigint>()
  #id = 0n
  #changes = 0
  #commandChanges = 0
  /** Commands that may have changed any file. */
  #age = 0

  /** Names the present state: equal iff the same files stand in the same states. */
  get id(): string {
    return this.#id.toString(36)
  }

  /** Counts what the model did to the world; equal at two calls: it did nothing in between. */
  get changes(): number {
    return this.#changes
  }

  /** The same without what it did to files by reading and writing tools. */
  get commands(): number {
    return this.#commandChanges
  }

  /** Takes in one settled call. Null: it changed nothing that can be seen. */
  apply(leaf: LeafCall): Change | null {
    if (leaf.failed || leaf.outcomeKey === null) return null
    switch (leaf.act) {
      case 'write':
      case 'edit': return this.#change(leaf)
      case 'read': return this.#learn(leaf)
      case 'note':
      case 'change':
      case 'run': return this.#ran(leaf)
      default: return null
    }
  }

  /** The call shows the model nothing but what it wrote itself. Ask before `apply`. */
  showsOwnWork(leaf: LeafCall): boolean {
    const result = leaf.outcome?.text.value ?? ''
    if (this.#written.has(number(trimmed(wholeText(result) ?? result)))) return true
    const path = readPath(leaf)
    const file = path === null ? undefined : this.#file(path)
    return file !== undefined && file.text === null && file.touched && file.wasRead
  }

  #file(path: string): FileState {
    const known = this.#files.get(path)
    if (known && known.age < this.#age) {
      known.age = this.#age
      known.text = null
      known.replaced.clear()
    }
    if (known) return known
    const file: FileState = { path, age: this.#age, text: null, replaced: new Map(), id: 0n, touched: false, wasRead: false }
    this.#files.set(path, file)
    return file
  }

  #change(leaf: LeafCall): Change | null {
    const change = fileChange(leaf)
    if (!change) return null
    const file = this.#file(change.path)
    if (change.kind === 'write') return this.#enter(file, leaf, change.content)
    let { text } = file
    for (const { from, to } of change.edits) text = text?.includes(from) ? text.replace(from, () => to) : null
    if (text !== null) return this.#enter(file, leaf, text)
    const id = change.edits.reduce((sum, edit) => sum ^ this.#exchange(file, edit, leaf), file.id)
    const state = number(`${file.path}\u0000edits\u0000${id}`)
    const isNew = id !== 0n && !this.#states.has(state)
    this.#states.set(state, id)
    file.text = null
    return this.#settle(file, id, isNew)
  }

  /** The file now has this text. */
  #enter(file: FileState, leaf: LeafCall, text: string): Change | null {
    const { id, isNew } = this.#named(file.path, trimmed(text), leaf)
    this.#written.add(number(trimmed(text)))
    file.text = text
    file.replaced.clear()
    return this.#settle(file, id, isNew)
  }

  /** What the text is called at this place, volatile parts and the round's number aside; each of its forms leads to it. */
  #named(place: string, text: string, leaf: LeafCall): { readonly id: bigint; readonly isNew: boolean } {
    const forms = formsOf(text, leaf).map((form) => number(`${place}\u0000${form}`))
    const known = forms.map((f) => this.#states.get(f)).find((id) => id !== undefined)
    const id = known ?? forms[0] ?? 0n
    for (const form of forms) if (!this.#states.has(form)) this.#states.set(form, id)
    return { id, isNew: known === undefined }
  }

  /** Changes what stands in place of what; gives the difference to the state's id. Opposite replacements cancel each other. */
  #exchange({ path, replaced }: FileState, { from, to }: FileEdit, leaf: LeafCall): bigint {
    const undone = replaced.get(from)
    const first = undone?.first ?? from
    replaced.delete(from)
    const before = undone?.difference ?? 0n
    if (first === to || replaced.get(to)?.first === first) return before
    const difference = this.#named(`${path}\u0000${first}`, to, leaf).id
    replaced.set(to, { first, difference })
    return before ^ difference
  }

  #settle(file: FileState, id: bigint, isNew: boolean): Change | null {
    const moved = file.id !== id
    if (isNew || moved) this.#changes += 1
    this.#id ^= file.id ^ id
    file.id = id
    file.touched = true
    return isNew ? NEW : moved ? { isNew, backTo: id } : null
  }

  /** A read shows a state like any other, but not one that the model made. */
  #learn(leaf: LeafCall): null {
    const path = readPath(leaf)
    if (path === null) return null
    const file = this.#file(path)
    file.wasRead = true
    file.touched = false
    const text = wholeText(leaf.outcome?.text.value ?? '')
    if (text === null) return null
    file.text = text
    const state = number(`${path}\u0000${withoutVolatile(trimmed(text))}`)
    if (!this.#states.has(state)) this.#states.set(state, file.id)
    return null
  }

  /** Known to change files, or unknown: then it only counts as something done. */
  #ran({ key, act }: LeafCall): Change | null {
    if (this.#commands.has(key)) return null
    this.#commands.add(key)
    this.#changes += 1
    this.#commandChanges += 1
    if (act === 'run') return null
    this.#id ^= number(String(key))
    this.#age += 1
    return NEW
  }
}

/** The text without volatile parts, and also without the number of the round it was written in. */
function formsOf(text: string, { round }: LeafCall): string[] {
  const steady = withoutVolatile(text)
  return round ? [...new Set([steady, withoutRound(steady, round.round)])] : [steady]
}

/** The text of a `read` result that shows the whole file (`1: first line …` up to the end-of-file note); else null. */
function wholeText(result: string): string | null {
  const end = /\(End of file - total (\d+) lines?\)/.exec(result)
  if (!end) return null
  const lines = result.slice(0, end.index).split('\n').flatMap((line) => { const m = /^\s*(\d+): ?(.*)$/.exec(line); return m ? [m] : [] })
  return lines.length === Number(end[1]) && lines[0]?.[1] === '1' ? lines.map((m) => m[2] ?? '').join('\n') : null
}

/** A read cannot tell whether the last line ends. */
function trimmed(text: string): string {
  return text.replace(/(?<!\n)\n+$/, '')
}

function number(text: string): bigint {
  return hash('sha1', text, 'buffer').readBigUInt64BE()
}
