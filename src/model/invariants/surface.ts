import type { EventOf, LogEvent, SeqRun, SurfaceOp } from '../../decode/event.ts'
import { Surface } from '../surface.ts'
import type { Fold, LogFacts, Report } from './fold.ts'

/**
 * The surface (dsh-session, surface fold) and what replaces parts of it: a replacement names rows that stand there, and
 * follows the row that announced it (`compaction/summary`, `compaction/prune`). In v0 a reply also names its own chunks.
 */
export class SurfaceFold implements Fold {
  readonly #facts: LogFacts
  readonly #surface = new Surface<number>((seq) => seq)
  #compaction: { readonly id: string; summarised: boolean } | null = null
  /** `user/message` or `tool/result`: what has to come next. */
  #announced: string | null = null
  /** Chunk seqs of the attempt at hand, as runs. */
  #streamed: SeqRun[] = []

  constructor(facts: LogFacts) {
    this.#facts = facts
  }

  event(e: LogEvent, report: Report): void {
    if (this.#announced !== null && e.type !== this.#announced) report('compaction-order', e, `${e.type} stands where the replacing ${this.#announced} was due.`)
    this.#announced = null
    switch (e.type) {
      case 'user/message':
      case 'system/message':
      case 'developer/message':
      case 'tool/result': return this.#place(e.seq, e.line, e.surfaceOp, report)
      case 'assistant/message':
        this.#checkStream(e, report)
        return this.#place(e.seq, e.line, e.surfaceOp, report)
      case 'stream': return this.#stream(e)
      case 'step/start':
      case 'llm/retry': this.#streamed = []; return
      case 'compaction/start':
        if (this.#compaction) report('compaction-order', e, `Compaction ${e.compactionId} starts while ${this.#compaction.id} is open.`)
        this.#compaction = { id: e.compactionId, summarised: false }
        return
      case 'compaction/summary': return this.#summary(e, report)
      case 'compaction/end': return this.#end(e, report)
      case 'compaction/prune': return this.#shadow(e, 'tool/result', report)
      case 'session/end-seed': this.#compaction = null; return
      default:
    }
  }

  #place(seq: number, line: number, op: SurfaceOp | null, report: Report): void {
    const gone = this.#surface.place(seq, op)
    if (gone === null && op !== null && op !== 'append' && !this.#facts.isFixture) {
      report('surface-range', { seq, line }, `It replaces rows ${op.startSeq} to ${op.endSeq}, which do not stand on the surface in this order.`)
    }
  }

  #summary(e: EventOf<'compaction/summary'>, report: Report): void {
    if (this.#compaction?.id !== e.compactionId) report('compaction-order', e, `The summary belongs to compaction ${e.compactionId}, which is not open.`)
    else if (this.#compaction.summarised) report('compaction-order', e, `Compaction ${e.compactionId} has a second summary.`)
    if (this.#compaction) this.#compaction.summarised = true
    this.#shadow(e, 'user/message', report)
  }

  #end(e: EventOf<'compaction/end'>, report: Report): void {
    if (this.#compaction?.id !== e.compactionId) report('compaction-order', e, `Compaction ${e.compactionId} ends, but it is not open.`)
    else if (e.error === null && !this.#compaction.summarised) report('compaction-order', e, `Compaction ${e.compactionId} ends well without a summary.`)
    this.#compaction = null
  }

  #shadow({ seq, line, shadowedRange, shadowedSeqs }: EventOf<'compaction/summary' | 'compaction/prune'>, replacement: string, report: Report): void {
    this.#announced = replacement
    if (this.#facts.isFixture || !shadowedRange) return
    if (shadowedRange.start !== shadowedSeqs[0] || shadowedRange.end !== shadowedSeqs.at(-1)) {
      report('compaction-order', { seq, line }, `Its range ${shadowedRange.start} to ${shadowedRange.end} is not that of the rows it names.`)
    }
  }

  #stream({ seq, lastSeq }: EventOf<'stream'>): void {
    const before = this.#streamed.at(-1)
    if (before?.last === seq - 1) this.#streamed.splice(-1, 1, { first: before.first, last: lastSeq })
    else this.#streamed.push({ first: seq, last: lastSeq })
  }

  #checkStream(e: EventOf<'assistant/message'>, report: Report): void {
    const streamed = this.#streamed
    this.#streamed = []
    const cited = e.sourceEventSeqs
    if (this.#facts.isFixture || !cited || streamed.length === 0) return
    const same = cited.length === streamed.length && cited.every((run, i) => run.first === streamed[i]?.first && run.last === streamed[i]?.last)
    if (!same) report('stream-sources', e, 'The reply does not name exactly the chunks of its attempt.')
  }
}
