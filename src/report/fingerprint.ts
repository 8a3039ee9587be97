import { hash } from 'node:crypto'
import { canonicalJson } from '../model/canonical.ts'
import { withoutVolatile } from '../facts/volatile.ts'
import type { RuleArgs } from '../rules/define.ts'

/** Arguments that do not name the fault: numbers of rows and ids, and what somebody said in words that no two runs share. */
const INCIDENTAL = /(?<!question)Id$|Seq$|^(?:closing|feedback)$/

/**
 * Names a finding across re-recordings of the same run: rule and the words in its arguments, without numbers, times,
 * ids and paths. `nth` tells equal findings of one session apart, in log order.
 */
export function fingerprint(rule: string, args: RuleArgs, nth: number): string {
  const words = Object.fromEntries(
    Object.entries(args).filter(([key]) => !INCIDENTAL.test(key)).map(([key, value]) => [key, wordsOf(value)]),
  )
  return hash('sha1', `${rule}\n${canonicalJson(words)}\n${nth}`, 'hex').slice(0, 16)
}

function wordsOf(value: unknown): unknown {
  if (typeof value === 'string') return withoutVolatile(value)
  if (Array.isArray(value)) return value.map(wordsOf)
  return typeof value === 'boolean' ? value : null
}
