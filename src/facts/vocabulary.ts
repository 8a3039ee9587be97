/** Words that facts, rules and the report share. Their definitions stand in the README ("States"). */

export const severities = ['error', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]

export const certainties = ['proven', 'likely', 'possible'] as const
export type Certainty = (typeof certainties)[number]

export const answerStates = [
  'delivered', 'derived', 'partial', 'consumed', 'dropped', 'lost', 'truncated', 'evicted', 'late', 'skipped', 'unanswered',
] as const
export type AnswerState = (typeof answerStates)[number]

export const roundStates = ['progress', 'waiting', 'idle'] as const
export type RoundState = (typeof roundStates)[number]

export const idleKinds = ['silent', 'talk-only', 'status-only', 'poll-only', 'error-replay', 'replay'] as const
export type IdleKind = (typeof idleKinds)[number]

export const evidenceKinds = ['replay', 'dataflow', 'fixed-point', 'literal', 'surface', 'code'] as const
export interface Evidence { readonly kind: (typeof evidenceKinds)[number]; readonly text: string }

/** What a report can hold. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }
