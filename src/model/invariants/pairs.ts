import type { EventOf, LogEvent } from '../../decode/event.ts'
import type { Fold, Report } from './fold.ts'

/** Approvals, commands and retries: what ends was begun. Whatever is open when a process ends stays open for good. */
export class PairFold implements Fold {
  readonly #approvals = new Map<string, EventOf<'approval/asked'>>()
  readonly #commands = new Set<string>()
  readonly #retries = new Map<string, { readonly retry: number; readonly started: boolean }>()

  event(e: LogEvent, report: Report): void {
    switch (e.type) {
      case 'approval/asked': this.#approvals.set(e.id, e); return
      case 'approval/decided':
        if (!this.#approvals.delete(e.id)) report('approval-pair', e, `Approval ${e.id} is decided, but it is not open.`)
        return
      case 'turn/end':
        if (e.reason.kind !== 'interrupted' && e.reason.kind !== 'forked') {
          for (const [id, asked] of this.#approvals) report('approval-pair', asked, `Approval ${id} for ${asked.toolName} was never decided.`)
        }
        this.#approvals.clear()
        this.#retries.clear()
        return
      case 'command/run': this.#commands.add(e.commandId); return
      case 'command/done':
        if (!this.#commands.delete(e.commandId)) report('command-pair', e, `Command ${e.commandId} is done, but it was not running.`)
        return
      case 'llm/retry': return this.#retry(e, report)
      case 'llm/retry-started': return this.#retryStarted(e, report)
      case 'session/end-seed':
        this.#approvals.clear()
        this.#commands.clear()
        this.#retries.clear()
        return
      default:
    }
  }

  /** Logs older than the id have none. */
  #retry({ retryId, retry, maxRetries, seq, line }: EventOf<'llm/retry'>, report: Report): void {
    if (retryId === null) return
    const last = this.#retries.get(retryId)?.retry ?? 0
    if (retry !== last + 1) report('retry-order', { seq, line }, `Retry ${retry} follows retry ${last}.`)
    else if (maxRetries !== null && retry > maxRetries) report('retry-order', { seq, line }, `Retry ${retry} is more than the ${maxRetries} allowed.`)
    this.#retries.set(retryId, { retry, started: false })
  }

  #retryStarted({ retryId, retry, seq, line }: EventOf<'llm/retry-started'>, report: Report): void {
    if (retryId === null) return
    const last = this.#retries.get(retryId)
    if (last?.retry !== retry || last.started) report('retry-order', { seq, line }, `Retry ${retry} begins, but it was not announced.`)
    this.#retries.set(retryId, { retry, started: true })
  }
}
