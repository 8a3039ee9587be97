/**
 * Rounds that only look around while a question of the model stands unanswered. Each look may be new to the log, and yet
 * the rounds get nowhere: nothing is changed, and the model itself goes on naming the open question.
 */
import { firstAfter, firstIndex, firstSpans } from '../model/ascending.ts'
import { groupBy } from '../group.ts'
import { spokenSeqs, type Goal, type QuestionCall, type Round, type Session } from '../model/session.ts'
import type { AnswerFact } from './answers.ts'
import { gateOf, receiptsNameErrors } from './denials.ts'

/** One question as far as the model can know: it asked, and has heard nothing until `untilSeq`. */
export interface OpenQuestion {
  readonly call: QuestionCall
  readonly fromSeq: number
  /** Infinity: to the end of the log. */
  readonly untilSeq: number
  /** The greatest `untilSeq` of this and all questions before it: further back none is open there. */
  readonly someUntilSeq: number
  /** The human did answer. */
  readonly wasAnswered: boolean
  /** A guard denied it: nobody was asked, and the model was told so. */
  readonly wasDenied: boolean
}

const UNHEARD: ReadonlySet<string> = new Set(['dropped', 'consumed', 'lost', 'truncated', 'evicted', 'partial', 'late'])

/** Questions whose answer the model did not hear by their own result, in log order. A later heard answer to the same id, or any human message, closes them. */
export function openQuestions(session: Session, answers: readonly AnswerFact[]): readonly OpenQuestion[] {
  const spoken = spokenSeqs(session)
  const heard = answers.filter((a) => a.state === 'delivered' || a.state === 'derived')
  const heardById = groupBy(heard.keys(), (i) => heard[i]?.question.id)
  const unheard = groupBy(answers.filter((a) => UNHEARD.has(a.state)), (a) => a.call)
  let someUntilSeq = 0
  const named = receiptsNameErrors(session)
  return session.questions.flatMap((call) => {
    const lost = unheard.get(call) ?? []
    if (call.inherited || (call.outcome.kind === 'answered' && lost.length === 0)) return []
    const fromSeq = call.call.result?.seq ?? call.settledSeq ?? call.askedSeq
    const nextHeard = Math.min(...(call.questions ?? []).map(({ id }) => {
      const same = heardById.get(id) ?? []
      return same[firstIndex(same.length, (i) => (heard[same[i] ?? 0]?.call.askedSeq ?? Infinity) > call.askedSeq)] ?? Infinity
    }))
    const ends = [
      firstAfter(spoken, fromSeq),
      heard[nextHeard]?.deliveredSeq,
      lost.every((a) => a.deliveredSeq !== null) ? lost.at(-1)?.deliveredSeq : null,
    ].filter((seq) => seq !== undefined && seq !== null)
    const untilSeq = Math.min(...ends)
    someUntilSeq = Math.max(someUntilSeq, untilSeq)
    return [{ call, fromSeq, untilSeq, someUntilSeq, wasAnswered: lost.length > 0, wasDenied: gateOf(call, session, named).gate === 'guard' }]
  })
}

/** The last question, in log order, that was open somewhere between two rows and of which `holds` is true. */
export function lastOpen(questions: readonly OpenQuestion[], after: number, before: number, holds: (question: OpenQuestion) => boolean): OpenQuestion | undefined {
  for (let i = firstIndex(questions.length, (k) => (questions[k]?.call.askedSeq ?? Infinity) >= before) - 1; i >= 0; i -= 1) {
    const question = questions[i]
    if (!question || question.someUntilSeq <= after) return undefined
    if (question.fromSeq < before && question.untilSeq > after && holds(question)) return question
  }
  return undefined
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
  const asked = firstSpans(candidates.map(({ round }) => round.fromSeq), questions.filter((q) => !q.wasDenied).toReversed(), (q) => ({ after: q.fromSeq, before: q.untilSeq }))
  const naming = new Naming(session)
  let stretch: Round[] = []
  let open: OpenQuestion | undefined
  const close = (): void => {
    if (open && stretch.length >= STRETCH && naming.mostly(open, stretch, closingTerms(stretch))) for (const round of stretch) held.add(round)
    stretch = []
  }
  for (const [i, { round, onlyLooks }] of candidates.entries()) {
    const question = asked[i]
    if (!onlyLooks || question !== open || stretch[0]?.goalId !== round.goalId) close()
    open = question
    if (onlyLooks && question) stretch.push(round)
  }
  close()
  return held
}

/** Whether rounds name, at their end, what was asked. Words of the objective prove little, unless the human's answer is known to be lost. */
export class Naming {
  readonly #goals: ReadonlyMap<string, Goal>
  readonly #terms = new Map<Goal | QuestionCall, ReadonlySet<string>>()

  constructor({ goals }: Session) {
    this.#goals = new Map(goals.map((g) => [g.id, g]))
  }

  /** At least half of the rounds, whose closing terms are given, do. */
  mostly({ call, wasAnswered }: OpenQuestion, rounds: readonly Round[], closings: Iterable<ReadonlySet<string>>): boolean {
    const asked = this.#termsOf(call, () => (call.questions ?? []).flatMap((q) => [q.id, q.header ?? '', q.question, ...q.options.map((o) => o.label)]).join(' '))
    const goal = this.#goals.get(rounds[0]?.goalId ?? '')
    const usual = wasAnswered || !goal ? new Set() : this.#termsOf(goal, () => goal.objective)
    let named = 0
    for (const closing of closings) {
      const [few, many] = asked.size < closing.size ? [asked, closing] : [closing, asked]
      if ([...few].filter((term) => many.has(term) && !usual.has(term)).length >= NAMED_TERMS) named += 1
    }
    return named * 2 >= rounds.length
  }

  #termsOf(key: Goal | QuestionCall, text: () => string): ReadonlySet<string> {
    const known = this.#terms.get(key)
    if (known) return known
    const terms = termsOf(text())
    this.#terms.set(key, terms)
    return terms
  }
}

export function* closingTerms(rounds: readonly Round[]): Generator<ReadonlySet<string>> {
  for (const round of rounds) yield termsOf(closingOf(round))
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

const SPACED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]{4,}/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}](?=([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]))/gu

/** Longer words, and pairs of characters where a script has no spaces between words. */
function termsOf(text: string, least = LONG): ReadonlySet<string> {
  const terms = new Set<string>()
  for (const word of text.toLowerCase().match(SPACED) ?? []) if (word.length >= least) terms.add(word)
  for (const [first, second] of text.matchAll(UNSPACED)) terms.add(`${first}${second}`)
  return terms
}
