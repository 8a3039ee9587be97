import { countEvents, type Issue } from '../decode/head.ts'
import type { LogSource } from './log-source.ts'
import type { Notes } from './notes.ts'

export interface Found {
  readonly log: LogSource
  /** Named by the user, who wants it judged whatever else holds the same session. */
  readonly named: boolean
}

/** Subject of the note. */
const EVENTS = 'events'

/** Fixtures of the harness have placeholders for ids; equal ones mean nothing. */
const PLACEHOLDER = /^\{\{.*\}\}$/

/**
 * One log per session: the highest generation, then the one with more events; what the user named always stays.
 * The others are mentioned on the one that stays. The order is kept, except that parents come before their children.
 */
export async function select(found: readonly Found[], notes: Notes | null): Promise<LogSource[]> {
  const groups = new Map<string, Found[]>()
  for (const [i, item] of found.entries()) {
    const key = PLACEHOLDER.test(item.log.id) ? `${i}` : `id ${item.log.id}`
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  const logs: LogSource[] = []
  for (const group of groups.values()) logs.push(...(await keep(group, notes)))
  return parentsFirst(logs)
}

async function keep(group: readonly Found[], notes: Notes | null): Promise<LogSource[]> {
  const named = group.filter((item) => item.named).map((item) => item.log)
  const others = group.filter((item) => !item.named).map((item) => item.log)
  const [best, ...rest] = named.length > 0 ? named : await fullest(others, notes)
  if (!best) return []
  const issues = others.filter((log) => log !== best).map((log) => mention(log, best))
  return [{ ...best, issues: [...best.issues, ...issues] }, ...rest]
}

/** The one log to judge, in a list of one. */
async function fullest(logs: readonly LogSource[], notes: Notes | null): Promise<LogSource[]> {
  const newest = Math.max(...logs.map((log) => log.version))
  const candidates = logs.filter((log) => log.version === newest)
  if (candidates.length < 2) return candidates
  const counts: number[] = []
  // One after the other: each holds a file open.
  for (const log of candidates) counts.push(await eventsIn(log, notes))
  const best = counts.indexOf(Math.max(...counts))
  return candidates.slice(best, best + 1)
}

async function eventsIn(log: LogSource, notes: Notes | null): Promise<number> {
  const noted = log.state && notes?.get(log.state, EVENTS)
  if (typeof noted === 'number') return noted
  try {
    const events = await countEvents(() => log.open(), log.name)
    if (log.state) notes?.put(log.state, EVENTS, events)
    return events
  } catch {
    return 0
  }
}

function mention(other: LogSource, best: LogSource): Issue {
  const older = other.version < best.version
  return {
    code: older ? 'older-generation' : 'duplicate-session',
    file: other.name,
    line: null,
    offset: null,
    seq: null,
    text: `${other.name} holds the same session in log format ${other.version}${older ? '' : ' as well'}; ${best.name} is judged.`,
    harness: 'not-read',
  }
}

function parentsFirst(logs: readonly LogSource[]): LogSource[] {
  const byId = new Map(logs.map((log) => [log.id, log]))
  const done = new Set<LogSource>()
  for (const log of logs) {
    const line: LogSource[] = []
    for (let at: LogSource | undefined = log; at && !done.has(at) && !line.includes(at); at = at.parent === null ? undefined : byId.get(at.parent)) line.unshift(at)
    for (const next of line) done.add(next)
  }
  return [...done]
}
