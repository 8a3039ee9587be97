/** What a call told the model, and whether the model knew it. */
import { hash } from 'node:crypto'
import { QUESTION_TOOL } from '../model/questions.ts'
import type { Call } from '../model/session.ts'
import type { LeafCall } from './leaf-calls.ts'
import { polledId } from './tools.ts'
import { withoutVolatile } from './volatile.ts'
import type { Change, Workspace } from './workspace.ts'

export class News {
  readonly #seen = new Set<string>()
  /** Of these a line stood in what the model read; of the others it only got a text that the program made of them. */
  readonly #shown = new Set<string>()
  /** Digests of texts that programs gave back. */
  readonly #outer = new Set<string | number>()

  /**
   * Takes in the leaf calls of one call of the model, in order; gives those that told the model something it had not
   * been told before. Goal and task-list tools, and what the model wrote itself, tell nothing.
   */
  of(leaves: readonly LeafCall[], workspace: Workspace): { told: LeafCall[]; changes: (readonly [LeafCall, Change])[] } {
    const told: LeafCall[] = []
    const changes: (readonly [LeafCall, Change])[] = []
    const call = leaves[0]?.call
    const surprise = call !== undefined && this.#isNewText(call)
    const wasShown = call === undefined ? () => true : reader(call)
    for (const leaf of leaves) {
      const own = workspace.showsOwnWork(leaf)
      const change = workspace.apply(leaf)
      if (change) changes.push([leaf, change])
      const item = itemOf(leaf, workspace)
      if (item === null || this.#shown.has(item)) continue
      const shown = wasShown(leaf)
      if (!shown && (!surprise || this.#seen.has(item))) continue
      this.#seen.add(item)
      if (shown) this.#shown.add(item)
      if (!own) told.push(leaf)
    }
    const last = leaves.at(-1)
    if (last?.dispatch && surprise && call?.result?.isError && !leaves.some((l) => l.failed)) told.push(last)
    return { told, changes }
  }

  /** The text of a program's result, volatile parts aside, was never given back before. */
  #isNewText({ result, dispatches }: Call): boolean {
    if (!result || dispatches.length === 0) return false
    const text = result.text.whole ? hash('sha1', withoutVolatile(result.text.value), 'base64') : result.text.id
    if (this.#outer.has(text)) return false
    this.#outer.add(text)
    return true
  }
}

/** Names what was told: outcome and key; for a command that is more than a look also the state of the files it ran over. */
function itemOf(leaf: LeafCall, workspace: Workspace): string | null {
  const { act, outcomeKey } = leaf
  if (outcomeKey === null) return null
  switch (act) {
    case 'goal':
    case 'todo': return null
    // The same refusal of another question is the same refusal, but that a program lived on with it is news. Of an answer
    // only its having been asked is news here: whether the model heard it is another fact.
    case 'question': return leaf.outcome?.isError ? `question ${outcomeKey} ${leaf.call.result?.isError}` : `question ${leaf.key}`
    case 'write':
    case 'edit': return leaf.failed ? `${leaf.key} ${outcomeKey}` : null
    case 'poll': return `${leaf.name} ${polledId(leaf)} ${outcomeKey}`
    case 'run':
    case 'change': return `${leaf.key} ${outcomeKey} ${workspace.id}`
    default: return act === 'note' && SAYS_NOTHING.test((leaf.outcome?.text.value ?? '').trim()) ? null : `${leaf.key} ${outcomeKey}`
  }
}

const SAYS_NOTHING = /^(?:\([\w ]*no output\))?$/

/** Lines looked for from both ends of a receipt. */
const LINES = 20

/** Whether the model got to read of a leaf call: a native result is what it reads; of a receipt it reads what the program passes on. */
function reader({ result, dispatches }: Call): (leaf: LeafCall) => boolean {
  const outer = dispatches.length === 0 ? '' : (result?.text.value ?? '')
  const plain = outer.replaceAll('\\"', '"')
  const whole = new Set(outer.split('\n').map((l) => l.trim()))
  return ({ name, dispatch, outcome }) => {
    if (!dispatch) return true
    if (!result || !outcome || (name === QUESTION_TOOL && !outcome.isError)) return false
    const lines = outcome.text.value.replace(/^Error: /, '').split('\n').map((l) => l.trim()).filter((l) => l !== '')
    const looked = lines.length > 2 * LINES ? [...lines.slice(0, LINES), ...lines.slice(-LINES)] : lines
    return looked.some((line) => whole.has(line) || outer.includes(line) || plain.includes(line))
  }
}
