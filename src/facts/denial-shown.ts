import { isRecord, tryJson } from '../model/canonical.ts'
import type { Call, Dispatch } from '../model/session.ts'

/** Enough of a reason to know it again; programs cut messages. */
const RECOGNISABLE = 20

/** Words by which programs and runtimes say that something was not done. */
const REFUSAL = /\b(?:errors?|exception|den(?:y|ied|ial)|refus\w+|reject\w*|forbid\w*|block\w*|unavailable|unattended|fail\w*|un(?:asked|answered)|(?:not|never|cannot|can't|could ?n[o']t) (?:be )?(?:allowed|ask\w*|possible|answer\w*)|asked["']?: ?false)\b|拒绝|失败|错误|异常|不允许|未能|无法|不能|禁止|没有回答/gi

/**
 * The result of the program tells that the nested question was denied: by its reason, by words of the program's own that
 * stand neither in the question nor in another receipt, or because the program reported the goal as blocked instead.
 */
export function showsDenial(call: Call, denied: Dispatch, reason: string): boolean {
  const text = call.result?.text.value ?? ''
  if (plain(text).includes(plain(reason).slice(0, RECOGNISABLE))) return true
  const others = call.dispatches.filter((d) => d !== denied)
  if (others.some((d) => d.startSeq > denied.startSeq && reportsBlocked(d))) return true
  const known = `${denied.arguments.value}\n${others.map((d) => d.receipt?.text.value ?? '').join('\n')}`.toLowerCase()
  return [...text.matchAll(REFUSAL)].some(([word]) => !known.includes(word.toLowerCase()))
}

function reportsBlocked({ name, arguments: args, receipt }: Dispatch): boolean {
  const value = tryJson(args.value)
  return name === 'update_goal' && receipt?.isError === false && isRecord(value) && value['action'] === 'blocked'
}

/** Without escapes, so that a reason inside JSON is the same text. */
function plain(text: string): string {
  return text.replace(/\\(["\\/])/g, '$1').replace(/\\[nrt]|\s+/g, ' ').toLowerCase()
}
