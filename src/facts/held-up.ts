/**
 * Rounds that only look around while a question of the model stands unanswered. Each look may be new to the log, and yet
 * the rounds get nowhere: nothing is changed, and the model itself goes on naming the open question.
 */
import type { QuestionCall, Round, Session } from '../model/session.ts'
import type { AnswerFact } from './answers.ts'
import { gateOf, receiptsNameErrors } from './denials.ts'

/** One question as far as the model can know: it asked, and has heard nothing until `untilSeq`. */
export interface OpenQuestion {
  readonly call: QuestionCall
  readonly fromSeq: number
  /** Infinity: to the end of the log. */
  readonly untilSeq: number
  /** The human did answer. */
  readonly wasAnswered: boolean
  /** A guard denied it: nobody was asked, and the model was told so. */
  readonly wasDenied: boolean
}

const UNHEARD: ReadonlySet<string> = new Set(['dropped', 'consumed', 'lost', 'truncated', 'evicted', 'partial', 'late'])

/** Questions whose answer the model did not hear by their own result, in log order. A later heard answer to the same id, or any human message, closes them. */
export function openQuestions(session: Session, answers: readonly AnswerFact[]): readonly OpenQuestion[] {
  const spoken = session.messages.filter((m) => m.source.kind === 'user' && m.appended).map((m) => m.seq)
  const heard = answers.filter((a) => a.state === 'delivered' || a.state === 'derived')
  const unheard = answers.filter((a) => UNHEARD.has(a.state))
  const named = receiptsNameErrors(session)
  return session.questions.flatMap((call) => {
    const lost = unheard.filter((a) => a.call === call)
    if (call.inherited || (call.outcome.kind === 'answered' && lost.length === 0)) return []
    const fromSeq = call.call.result?.seq ?? call.settledSeq ?? call.askedSeq
    const ids = new Set(call.questions?.map((q) => q.id))
    const ends = [
      spoken.find((seq) => seq > fromSeq),
      heard.find((a) => a.call.askedSeq > call.askedSeq && ids.has(a.question.id))?.deliveredSeq,
      lost.every((a) => a.deliveredSeq !== null) ? lost.at(-1)?.deliveredSeq : null,
    ].filter((seq) => seq !== undefined && seq !== null)
    return [{ call, fromSeq, untilSeq: Math.min(...ends), wasAnswered: lost.length > 0, wasDenied: gateOf(call, session, named).gate === 'guard' }]
  })
}

/** Rounds in a row that make a stretch. */
const STRETCH = 3

interface Candidate {
  readonly round: Round
  /** Nothing in it but a look or two. */
  readonly onlyLooks: boolean
}

/** Of the candidates (all rounds, in log order) those that only looked around under an open question. */
export function heldUpRounds(candidates: readonly Candidate[], questions: readonly OpenQuestion[], session: Session): ReadonlySet<Round> {
  const held = new Set<Round>()
  let stretch: Round[] = []
  let open: OpenQuestion | undefined
  const close = (): void => {
    if (open && stretch.length >= STRETCH && mostlyNamed(open, stretch, session)) for (const round of stretch) held.add(round)
    stretch = []
  }
  for (const { round, onlyLooks } of candidates) {
    const question = questions.findLast((q) => !q.wasDenied && q.fromSeq < round.fromSeq && q.untilSeq > round.fromSeq)
    if (!onlyLooks || question !== open || stretch[0]?.goalId !== round.goalId) close()
    open = question
    if (onlyLooks && question) stretch.push(round)
  }
  close()
  return held
}

/**
 * At least half of the rounds name, in their closing text, what was asked. Words of the objective prove little, unless
 * the human's answer is known to be lost.
 */
export function mostlyNamed({ call, wasAnswered }: OpenQuestion, rounds: readonly Round[], { goals }: Session): boolean {
  const asked = termsOf((call.questions ?? []).flatMap((q) => [q.id, q.header ?? '', q.question, ...q.options.map((o) => o.label)]).join(' '))
  const objective = goals.find((g) => g.id === rounds[0]?.goalId)?.objective ?? ''
  if (!wasAnswered) for (const term of termsOf(objective)) asked.delete(term)
  const named = rounds.filter((r) => {
    const closing = termsOf(closingOf(r))
    return [...asked].filter((term) => closing.has(term)).length >= NAMED_TERMS
  })
  return named.length * 2 >= rounds.length
}

const NAMED_TERMS = 2

/** The last thing the model said in a round. */
function closingOf({ steps }: Round): string {
  return steps.findLast((s) => (s.message?.text.value.trim() ?? '') !== '')?.message?.text.value ?? ''
}

/** The human speaks of something that most of these rounds had named at their end, and few of the others. */
export function speaksOf(text: string, idle: readonly Round[], others: readonly Round[]): boolean {
  const said = idle.map((r) => termsOf(closingOf(r), SHORT))
  const usual = others.map((r) => termsOf(closingOf(r), SHORT))
  return [...termsOf(text, SHORT)].some((term) => share(term, said) >= MOST && share(term, usual) <= FEW)
}

function share(term: string, texts: readonly ReadonlySet<string>[]): number {
  return texts.filter((t) => t.has(term)).length / Math.max(1, texts.length)
}

const MOST = 0.5
const FEW = 0.25
/** Letters of a word worth comparing. */
const LONG = 5
const SHORT = 4

/** Longer words, and pairs of characters where a script has no spaces between words. */
function termsOf(text: string, least = LONG): Set<string> {
  const words = (text.toLowerCase().match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{4,}/gu) ?? []).filter((w) => w.length >= least)
  const pairs = text.matchAll(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}](?=([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]))/gu)
  return new Set([...words, ...Array.from(pairs, ([first, second]) => `${first}${second}`)])
}
