/** Which tools the model was offered, and from when on: request headers, tool deltas, and the bindings in the system text. */
import { lastUpTo } from '../model/ascending.ts'
import type { RequestHeader, Session } from '../model/session.ts'
import type { Text } from '../model/text.ts'

/** From `seq` to the next entry's the tool was (not) offered; null: the log does not tell. */
export interface Offer {
  readonly seq: number
  readonly line: number
  readonly offered: boolean | null
}

type Change =
  | { readonly seq: number; readonly line: number; readonly header: RequestHeader }
  | { readonly seq: number; readonly line: number; readonly text: Text }
  | { readonly seq: number; readonly line: number; readonly offered: boolean }

/** One entry per header, system text or delta that could change it, in log order. */
export function offersOf(session: Session, tool: string): Offer[] {
  const changes: Change[] = [
    ...session.requestHeaders.map((header) => ({ seq: header.seq, line: header.line, header })),
    ...session.systemTexts,
    ...session.toolDeltas.flatMap(({ seq, line, additions, removals }) => (
      additions.includes(tool) ? [{ seq, line, offered: true }] : removals.includes(tool) ? [{ seq, line, offered: false }] : [])),
  ]
  const nested = new Set(session.calls.flatMap((c) => c.dispatches.map((d) => d.name)))
  const known = new Map<Text, boolean | null>()
  const binds = (system: Text | null): boolean | null => {
    if (!system) return null
    const before = known.get(system)
    if (before !== undefined) return before
    const declared = declaredIn(system.value)
    const binding = declared.has(tool) || (system.whole && [...declared].some((name) => nested.has(name)) ? false : null)
    known.set(system, binding)
    return binding
  }
  let presentation: RequestHeader['presentation'] = null
  let system: Text | null = null
  let offered: boolean | null = null
  const offers: Offer[] = []
  for (const change of changes.toSorted((a, b) => a.seq - b.seq)) {
    if ('header' in change) {
      presentation = change.header.presentation
      system = change.header.system ?? system
      offered = presentation === null ? null : presentation === 'code' ? binds(system) : (change.header.tools?.includes(tool) ?? null)
    } else if ('text' in change) {
      system = change.text
      if (presentation === 'code') offered = binds(system)
    } else offered = change.offered
    offers.push({ seq: change.seq, line: change.line, offered })
  }
  return offers
}

/** The offer in force at a row. */
export function offerAt(offers: readonly Offer[], seq: number): Offer | null {
  return lastUpTo(offers, (o) => o.seq, seq) ?? null
}

/**
 * Code Mode declares its tools in the system text: as members of an interface, as functions, or as Python stubs.
 * A name inside a sentence is no declaration, and a text without any declaration of a tool that was called is no list.
 */
function declaredIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(DECLARATION), ([, name = '']) => name))
}

const DECLARATION = /^[ \t]*(?:[-*] |(?:async )?def |(?:declare )?(?:async )?function |readonly )?(?:tools\.)?["'`]?([^\s"'`:(<?]+)["'`]?\??[ \t]*[:(<]/gm
