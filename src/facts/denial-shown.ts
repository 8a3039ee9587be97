import type { Call, Dispatch } from '../model/session.ts'
import { triesToBlock } from './tools.ts'

/** Enough of a reason to know it again; programs cut messages. */
const RECOGNISABLE = 20

/** Words by which programs and runtimes say that something was not done. */
const REFUSAL = /\b(?:errors?|exception|den(?:y|ied|ial)|refus\w+|reject\w*|forbid\w*|block\w*|unavailable|unattended|fail\w*|un(?:asked|answered)|(?:not|never|cannot|can't|could ?n[o']t) (?:be )?(?:allowed|ask\w*|possible|answer\w*)|asked["']?: ?false)\b|拒绝|失败|错误|异常|不允许|未能|无法|不能|禁止|没有回答/gi

/**
 * Whether the result of a program tells that one of its nested questions was denied: by its reason, by words of the
 * program's own that stand neither in the question nor in another receipt, or because the program reported the goal as
 * blocked instead.
 */
export function denialReader({ result, dispatches }: Call): (denied: Dispatch, reason: string) => boolean {
  const text = result?.text.value ?? ''
  const told = plain(text)
  const lastBlocked = dispatches.findLast((d) => triesToBlock(d) && d.receipt?.isError === false)
  const words = new Set(Array.from(text.matchAll(REFUSAL), ([word]) => word.toLowerCase()))
  /** Word → the receipts it stands in. */
  const receipts = new Map<string, ReadonlySet<Dispatch>>()
  for (const word of words) receipts.set(word, new Set(dispatches.filter((d) => d.receipt?.text.value.toLowerCase().includes(word))))
  return (denied, reason) => {
    if (told.includes(plain(reason).slice(0, RECOGNISABLE))) return true
    if (lastBlocked !== undefined && lastBlocked !== denied && lastBlocked.startSeq > denied.startSeq) return true
    const question = denied.arguments.value.toLowerCase()
    return Array.from(receipts).some(([word, within]) => !question.includes(word) && (within.size === 0 || (within.size === 1 && within.has(denied))))
  }
}

/** Without escapes, so that a reason inside JSON is the same text. */
function plain(text: string): string {
  return text.replace(/\\(["\\/])/g, '$1').replace(/\\[nrt]|\s+/g, ' ').toLowerCase()
}
