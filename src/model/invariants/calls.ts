import type { EventOf, LogEvent, SeqRun } from '../../decode/event.ts'
import { canonicalJson } from '../canonical.ts'
import type { Fold, LogFacts, Report } from './fold.ts'

interface OpenCall {
  readonly call: EventOf<'tool/call'>
  /** Highest number of a nested call so far, per enclosing call. */
  readonly numbers: Map<string, number>
  /** Nested calls of this call: their ids may be parents of further ones. */
  readonly subCallIds: Set<string>
}

/** The text of a sub call id that carries its number. */
const SUB_CALL_NUMBER = /:(?:code|ptc):(\d+)$/

/** Calls and results pair within their step, nested calls with their settles before the outer result (dsh-tools, invariants). */
export class CallFold implements Fold {
  readonly #facts: LogFacts
  /** Calls of the current step without a result yet, and those of earlier steps of the turn. */
  readonly #open = new Map<string, OpenCall>()
  readonly #finished = new Set<string>()
  #left: EventOf<'tool/call'>[] = []
  /** Tool-call blocks of the step's message that have no `tool/call` yet. */
  readonly #blocks = new Map<string, EventOf<'assistant/message'>>()
  #leftBlocks: { readonly id: string; readonly message: EventOf<'assistant/message'> }[] = []
  readonly #dispatches = new Map<string, EventOf<'dispatch/start'>>()

  constructor(facts: LogFacts) {
    this.#facts = facts
  }

  event(e: LogEvent, report: Report): void {
    switch (e.type) {
      case 'turn/start':
        this.#leaveStep()
        this.#left = []
        this.#leftBlocks = []
        return
      case 'step/start': return this.#leaveStep()
      case 'assistant/message':
        for (const block of e.toolCalls) this.#blocks.set(block.id, e)
        return
      case 'tool/call':
        this.#blocks.delete(e.callId)
        this.#finished.delete(e.callId)
        this.#open.set(e.callId, { call: e, numbers: new Map(), subCallIds: new Set() })
        return
      case 'tool/result': return this.#result(e, report)
      case 'dispatch/start': return this.#start(e, report)
      case 'dispatch/end': return this.#settle(e, report)
      case 'turn/end': return this.#endTurn(e, report)
      case 'session/end-seed': return this.#dispatches.clear()
      default:
    }
  }

  #leaveStep(): void {
    for (const { call } of this.#open.values()) this.#left.push(call)
    for (const [id, message] of this.#blocks) this.#leftBlocks.push({ id, message })
    this.#open.clear()
    this.#finished.clear()
    this.#blocks.clear()
    this.#dispatches.clear()
  }

  #result(e: EventOf<'tool/result'>, report: Report): void {
    if (e.surfaceOp !== 'append' && e.surfaceOp !== null) return
    const open = this.#open.get(e.callId)
    this.#blocks.delete(e.callId)
    if (!open) {
      if (this.#finished.has(e.callId)) report('result-without-call', e, `Call ${e.callId} has a second result.`)
      else if (e.error?.code !== 'TOOL_NOT_STARTED') report('result-without-call', e, `The result of ${e.callId} has no call in its step.`)
      return
    }
    this.#open.delete(e.callId)
    this.#finished.add(e.callId)
    const sources = e.sourceEventSeqs
    if (sources && !this.#facts.isFixture && e.error?.code !== 'TOOL_NOT_STARTED' && (sources.length !== 1 || sources[0]?.first !== open.call.seq || sources[0].last !== open.call.seq)) {
      report('result-sources', e, `The result of ${e.callId} cites ${sources.map(told).join(', ')} instead of its call (seq ${open.call.seq}).`)
    }
    const wasRepaired = /^(?:interrupted|forked)-tool-result-/.test(e.messageId ?? '')
    for (const id of open.subCallIds) {
      const start = this.#dispatches.get(id)
      if (start?.rootCallId !== e.callId) continue
      this.#dispatches.delete(id)
      if (!wasRepaired) report('dispatch-without-settle', start, `Nested call ${id} (${start.name}) was still open when ${e.callId} had its result.`)
    }
  }

  #start(e: EventOf<'dispatch/start'>, report: Report): void {
    const root = this.#open.get(e.rootCallId)
    if (!root) report('dispatch-parent', e, `Nested call ${e.subCallId} belongs to ${e.rootCallId}, which is not running.`)
    else if (e.parentCallId !== e.rootCallId && !root.subCallIds.has(e.parentCallId)) {
      report('dispatch-parent', e, `Nested call ${e.subCallId} is part of ${e.parentCallId}, which ${e.rootCallId} never made.`)
    }
    const n = Number(SUB_CALL_NUMBER.exec(e.subCallId)?.[1] ?? Number.NaN)
    const last = root?.numbers.get(e.parentCallId) ?? 0
    if (root?.subCallIds.has(e.subCallId) || n <= last) report('sub-call-order', e, `Nested call ${e.subCallId} comes after number ${last}.`)
    if (n > last) root?.numbers.set(e.parentCallId, n)
    root?.subCallIds.add(e.subCallId)
    this.#dispatches.set(e.subCallId, e)
  }

  #settle(e: EventOf<'dispatch/end'>, report: Report): void {
    const start = this.#dispatches.get(e.subCallId)
    if (!start) {
      report('settle-without-start', e, `Nested call ${e.subCallId} (${e.name}) settles, but it is not open.`)
      return
    }
    this.#dispatches.delete(e.subCallId)
    if (identity(start) !== identity(e)) report('settle-without-start', e, `Nested call ${e.subCallId} settles as another call than it started as.`)
  }

  /** An error of the scheduler may leave calls without results; a crash leaves everything open. */
  #endTurn(e: EventOf<'turn/end'>, report: Report): void {
    this.#leaveStep()
    if (e.reason.kind !== 'error') {
      for (const call of this.#left) report('call-without-result', call, `Call ${call.callId} (${call.name}) never had a result.`)
      for (const { id, message } of this.#leftBlocks) report('block-without-call', message, `The model asked for call ${id}, which was never made.`)
    }
    this.#left = []
    this.#leftBlocks = []
  }
}

const told = ({ first, last }: SeqRun): string => (first === last ? `${first}` : `${first} to ${last}`)

function identity({ rootCallId, parentCallId, name, arguments: args }: EventOf<'dispatch/start' | 'dispatch/end'>): string {
  return canonicalJson([rootCallId, parentCallId, name, args])
}
