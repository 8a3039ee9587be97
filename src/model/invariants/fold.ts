import type { Header, LogEvent } from '../../decode/event.ts'

/** What the folds know about the log as a whole. */
export interface LogFacts {
  readonly header: Header
  /** A snapshot fixture: rows without `seq` and `time`, ids and references replaced by placeholders. */
  readonly isFixture: boolean
}

export type Report = (code: InvariantCode, at: { readonly seq: number; readonly line: number }, text: string) => void

/** Follows one subject through the log and reports each break once; after a break it goes on from what the row says. */
export interface Fold {
  event(e: LogEvent, report: Report): void
}

/**
 * Log format since which the harness's readers refuse a log that breaks the rule. Before it, only optional checks
 * that no shipped composition mounts would see it.
 */
export const ENFORCED_SINCE = {
  'inbox-fold': 0,
  'goal-fold': 0,
  'surface-range': 0,
  'turn-order': 4,
  'step-order': 4,
  'outside-step': 4,
  'call-without-result': 4,
  'result-without-call': 4,
  'dispatch-without-settle': 4,
  'settle-without-start': 4,
  'dispatch-parent': 4,
  'command-pair': 4,
  'retry-order': 4,
  'compaction-order': 4,
  'outside-turn': Infinity,
  'block-without-call': Infinity,
  'sub-call-order': Infinity,
  'result-sources': Infinity,
  'stream-sources': Infinity,
  'approval-pair': Infinity,
  'time-backwards': Infinity,
} as const

export type InvariantCode = keyof typeof ENFORCED_SINCE
