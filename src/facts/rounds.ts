import { between, firstAfter, firstSpans } from '../model/ascending.ts'
import { groupBy } from '../group.ts'
import { isHuman, type Round, type Session, type UserMessage } from '../model/session.ts'
import type { Activity } from './activity.ts'
import type { AnswerFact } from './answers.ts'
import type { FactContext } from './context.ts'
import type { LeafCall } from './leaf-calls.ts'
import { heldUpRounds, openQuestions } from './held-up.ts'
import { endsSomething, type Wait } from './outside.ts'
import { gaveOnlyAnError, isLookOutside } from './tools.ts'
import type { Certainty, IdleKind, RoundState } from './vocabulary.ts'

interface Judgement {
  readonly state: RoundState
  readonly certainty: Certainty
  /** Idle rounds only. */
  readonly kind: IdleKind | null
  /** Short reasons a person can check, e.g. "2 calls, same results as in round 27". */
  readonly why: readonly string[]
}

export class RoundFact implements Judgement {
  readonly round: Round
  /** What it called itself, in log order. */
  readonly leaves: readonly LeafCall[]
  readonly state: RoundState
  readonly certainty: Certainty
  readonly kind: IdleKind | null
  readonly why: readonly string[]

  constructor(round: Round, leaves: readonly LeafCall[], { state, certainty, kind, why }: Judgement) {
    this.round = round
    // What was put together piece by piece has room to grow: copies hold half of it.
    this.leaves = leaves.slice()
    this.state = state
    this.certainty = certainty
    this.kind = kind
    this.why = why.map((reason) => Buffer.from(reason).toString())
  }

  get tokens(): { readonly input: number; readonly output: number } {
    let input = 0
    let output = 0
    for (const { message } of this.round.steps) {
      input += message?.usage?.inputTokens ?? 0
      output += message?.usage?.outputTokens ?? 0
    }
    return { input, output }
  }

  get ms(): number {
    return this.round.endTime - this.round.startTime
  }
}

export async function roundsFact({ session, get }: FactContext<{ leafCalls: readonly LeafCall[]; activity: Activity; answers: readonly AnswerFact[] }>): Promise<readonly RoundFact[]> {
  const leaves = await get('leafCalls')
  const activity = await get('activity')
  const answers = await get('answers')
  const leavesOf = groupBy(leaves, (leaf) => leaf.round)
  const heard = answers.flatMap((a) => (HEARD.has(a.state) && a.deliveredSeq !== null ? [a.deliveredSeq] : [])).toSorted((a, b) => a - b)
  const outside = firstSpans(session.rounds.map((r) => r.toSeq), activity.waits.filter((w) => w.aliveFrom !== null), (w) => ({ after: w.aliveFrom ?? 0, before: w.changedSeq }))
  const before = messagesBefore(session)
  const lastSeen = new Map<string, Round>()
  const facts = session.rounds.map((round, i) => {
    const own = leavesOf.get(round) ?? []
    const judged = judge(round, own, [...before(round, i), ...round.messages], activity, heard, outside[i], lastSeen)
    for (const leaf of own) lastSeen.set(`${leaf.key} ${leaf.outcomeKey}`, round)
    return new RoundFact(round, own, judged)
  })
  const held = heldUpRounds(facts.map((f) => ({ round: f.round, onlyLooks: onlyLooks(f, activity) })), openQuestions(session, answers), session)
  return facts.map((f) => (f.state === 'progress' && held.has(f.round) ? new RoundFact(f.round, f.leaves, HELD_UP) : f))
}

const HELD_UP = { state: 'idle', certainty: 'likely', kind: 'replay', why: ['only looked around while a question stood unanswered'] } as const
/** More new looks than these are an investigation. */
const FEW_LOOKS = 2

function onlyLooks({ state, leaves, why }: RoundFact, { changes, told }: Activity): boolean {
  const news = leaves.filter((l) => told.has(l)).length
  return state === 'idle' || (state === 'progress' && why.length === 1 && news > 0 && news <= FEW_LOOKS && !leaves.some((l) => changes.has(l)))
}

function judge(round: Round, own: readonly LeafCall[], messages: readonly UserMessage[], activity: Activity, heard: readonly number[], job: Wait | undefined, lastSeen: ReadonlyMap<string, Round>): Judgement {
  const progress = progressOf(round, own, messages, activity, heard)
  if (progress.length > 0) return { state: 'progress', certainty: 'proven', kind: null, why: progress }
  if (!round.ended) return { state: 'waiting', certainty: 'possible', kind: null, why: ['the log stops inside this round'] }
  if (job) return { state: 'waiting', certainty: 'likely', kind: null, why: [`something outside was going on, and changed at seq ${job.changedSeq}`] }
  if (own.some((l) => activity.polls.has(l))) return { state: 'waiting', certainty: 'likely', kind: null, why: ['looked at something outside that changed later'] }
  return { state: 'idle', certainty: 'proven', ...idleKind(round, own, activity, lastSeen) }
}

const HEARD: ReadonlySet<string> = new Set(['delivered', 'derived', 'partial', 'late'])
/** A goal that the driver ends because its rounds are used up got nowhere by that. */
const DRIVER_ENDS: ReadonlySet<string> = new Set(['round-limit', 'queue-failed', 'prompt-rejected'])

function progressOf(round: Round, own: readonly LeafCall[], messages: readonly UserMessage[], { changes, told }: Activity, heard: readonly number[]): string[] {
  const why: string[] = []
  const change = own.find((l) => changes.get(l)?.isNew)
  if (change) why.push(`${change.name} at seq ${change.seq} brought the workspace to a new state`)
  const news = own.find((l) => told.has(l))
  if (news) why.push(`${news.name} at seq ${news.seq} told something new`)
  const end = round.goalChanges.find((c) => c.operation === 'complete' || (c.operation === 'block' && !DRIVER_ENDS.has(c.goal?.blockedReason?.code ?? '')))
  if (end) why.push(end.operation === 'complete' ? 'the goal was completed' : 'the goal was reported as blocked')
  if (messages.some((m) => isHuman(m.source))) why.push('a human spoke')
  if ((firstAfter(heard, round.fromSeq - 1) ?? Infinity) <= round.toSeq) why.push('an answer of the human arrived')
  if (messages.some(endsSomething)) why.push('the end of a job or subagent was reported')
  return why
}

function idleKind(round: Round, own: readonly LeafCall[], { changes }: Activity, lastSeen: ReadonlyMap<string, Round>): { kind: IdleKind; why: string[] } {
  if (own.length === 0) {
    const silent = round.steps.every((s) => s.message === null || s.message.text.value.trim() === '')
    return silent ? { kind: 'silent', why: ['no text and no call'] } : { kind: 'talk-only', why: ['text only, no call'] }
  }
  const calls = `${own.length} call${own.length === 1 ? '' : 's'}`
  const work = own.filter((l) => !isAboutItself(l))
  if (work.every((l) => writesDown(l) && !l.failed && !changes.has(l))) return { kind: 'status-only', why: [`${calls}, only about the goal, the task list or a status file`] }
  if (work.every((l) => isLookOutside(l))) return { kind: 'poll-only', why: [`${calls}, only looks at something outside`] }
  if (work.every(gaveOnlyAnError)) return { kind: 'error-replay', why: [`${calls}, failed as before`] }
  const known = new Set(work.map((l) => lastSeen.get(`${l.key} ${l.outcomeKey}`)?.round))
  const [earlier] = known
  return { kind: 'replay', why: [known.size === 1 && earlier !== undefined ? `${calls}, same results as in round ${earlier}` : `${calls}, all results known before`] }
}

function isAboutItself({ act, name, failed }: LeafCall): boolean {
  return act === 'todo' || (act === 'goal' && !(name === 'update_goal' && failed))
}

function writesDown({ act }: LeafCall): boolean {
  return act === 'write' || act === 'edit' || act === 'note'
}

/** Messages of a round's turn that came before the round's own. */
function messagesBefore({ turns, rounds }: Session): (round: Round, index: number) => readonly UserMessage[] {
  const byTurn = new Map(turns.map((t) => [t.turn, t]))
  return (round, i) => {
    const turn = round.turn === null ? undefined : byTurn.get(round.turn)
    const from = Math.max(turn?.startSeq ?? round.fromSeq, rounds[i - 1]?.toSeq ?? 0)
    return between(turn?.messages ?? [], (m) => m.seq, from, round.fromSeq).filter((m) => m.appended)
  }
}
