import type { EventOf, LogEvent } from '../../decode/event.ts'
import type { Fold, Report } from './fold.ts'

/** Turns and steps nest and count up; what the loop writes names the turn and step it stands in (dsh-session, invariants). */
export class TurnFold implements Fold {
  #turn: number | null = null
  #lastTurn = 0
  #step: number | null = null
  #lastStep = 0

  event(e: LogEvent, report: Report): void {
    switch (e.type) {
      case 'turn/start': return this.#startTurn(e, report)
      case 'turn/end': return this.#endTurn(e, report)
      case 'step/start': return this.#startStep(e, report)
      case 'step/end':
        if (e.turn !== this.#turn || e.step !== this.#step) report('step-order', e, `Step ${e.step} of turn ${e.turn} ends, but ${this.#here()}.`)
        this.#step = null
        return
      case 'tool/result':
        if (e.surfaceOp !== 'append' && e.surfaceOp !== null) return this.#needsTurn(e, report)
        return this.#inStep(e, report)
      case 'assistant/message':
      case 'tool/call': return this.#inStep(e, report)
      case 'todo/write':
      case 'request/header':
      case 'request/context':
      case 'dispatch/start':
      case 'dispatch/end':
      case 'approval/asked':
      case 'approval/decided': return this.#needsTurn(e, report)
      default:
    }
  }

  #here(): string {
    if (this.#turn === null) return 'no turn is open'
    return this.#step === null ? `turn ${this.#turn} has no open step` : `step ${this.#step} of turn ${this.#turn} is open`
  }

  #startTurn(e: EventOf<'turn/start'>, report: Report): void {
    if (this.#turn !== null) report('turn-order', e, `Turn ${e.turn} starts while turn ${this.#turn} is open.`)
    else if (e.turn !== this.#lastTurn + 1) report('turn-order', e, `Turn ${e.turn} starts, turn ${this.#lastTurn + 1} was due.`)
    this.#turn = e.turn
    this.#lastTurn = e.turn
    this.#step = null
    this.#lastStep = 0
  }

  #endTurn(e: EventOf<'turn/end'>, report: Report): void {
    if (e.turn !== this.#turn) report('turn-order', e, `Turn ${e.turn} ends, but ${this.#here()}.`)
    else if (this.#step !== null) report('turn-order', e, `Turn ${e.turn} ends inside step ${this.#step}.`)
    this.#turn = null
    this.#step = null
  }

  #startStep(e: EventOf<'step/start' | 'step/end'>, report: Report): void {
    if (e.turn !== this.#turn || this.#step !== null) report('step-order', e, `Step ${e.step} of turn ${e.turn} starts, but ${this.#here()}.`)
    else if (e.step !== this.#lastStep + 1) report('step-order', e, `Step ${e.step} of turn ${e.turn} starts, step ${this.#lastStep + 1} was due.`)
    this.#step = e.step
    this.#lastStep = e.step
  }

  #inStep(e: LogEvent & { readonly turn: number; readonly step: number }, report: Report): void {
    if (e.turn !== this.#turn || e.step !== this.#step) report('outside-step', e, `${e.type} belongs to step ${e.step} of turn ${e.turn}, but ${this.#here()}.`)
  }

  #needsTurn(e: LogEvent, report: Report): void {
    if (this.#turn === null) report('outside-turn', e, `${e.type} stands outside any turn.`)
  }
}
