import type { Call, Dispatch } from '../model/session.ts'

/** Words by which programs and runtimes say that something was not done; in a text of the program's own they tell the model. */
const REFUSAL = /\b(?:error|exception|den(?:y|ied|ial)|refus\w+|reject\w*|forbid\w*|block\w*|unavailable|unattended|fail\w*|unanswered|(?:not|never|cannot|could ?n.t|can ?not|un)[ _-]?(?:be )?(?:allowed|ask\w*|possible|answer\w*)|asked["']?\s*:\s*false)\b|拒绝|失败|错误|异常|不允许|未能|无法|不能|禁止|被拦截|没有回答/i

/** The result of the program tells that the nested question was denied: by its reason, or by words of its own. */
export function showsDenial(call: Call, dispatch: Dispatch, reason: string): boolean {
  const text = call.result?.text.value ?? ''
  const plain = text.replace(/\\(["\\/])/g, '$1').replace(/\\[nrt]|\s+/g, ' ')
  const words = reason.replace(/\s+/g, ' ')
  if (plain.includes(words.slice(0, Math.min(words.length, 24)))) return true
  const others = call.dispatches.filter((d) => d !== dispatch).map((d) => d.receipt?.text.value ?? '').join('\n')
  return text.split('\n').some((line) => REFUSAL.test(line) && !others.includes(line.trim()))
}
