import type { FactGetter, FactName, Facts } from '../facts/index.ts'
import type { Certainty, Json, Severity } from '../facts/vocabulary.ts'
import type { Session } from '../model/session.ts'

export const families = ['answers', 'questions', 'goals', 'guards', 'loops', 'log'] as const
export type RuleFamily = (typeof families)[number]

/** What `inquest explain RULE` prints. Full sentences. */
export interface RuleDocs {
  /** What the rule reports. */
  readonly what: string
  /** Why it matters. */
  readonly why: string
  /** What to do about it. */
  readonly fix: string
  /** What it knowingly does not see. */
  readonly misses: string
  /** What evidence would prove a finding wrong. */
  readonly disproof: string
}

/** Where in the log. Model objects carry these; `line` is 1-based in the decoded text. */
export interface Place {
  readonly seq: number
  readonly line: number
  readonly turn?: number | null
  readonly step?: number | null
}

export interface Reported<Args> {
  readonly at: Place
  readonly args: Args
  readonly certainty: Certainty
  /** When the case differs from the rule's default. */
  readonly severity?: Severity
  /** Last row, when the finding spans many. */
  readonly toSeq?: number
  readonly related?: readonly { readonly seq: number; readonly why: string }[]
  /** What to do in this very case; without it the report points to the rule's docs. */
  readonly fix?: string
}

export interface RuleContext<Needs extends FactName, Args> {
  readonly session: Session
  /** Exactly the facts the rule names in `needs`. */
  readonly facts: Pick<Facts, Needs>
  readonly report: (finding: Reported<Args>) => void
  /** The rule (or a part of it) could not be judged on this log; said once in the report. */
  readonly notEvaluated: (because: string) => void
}

export type RuleArgs = { readonly [key: string]: Json | undefined }

export interface Rule {
  readonly id: string
  readonly family: RuleFamily
  readonly severity: Severity
  readonly docs: RuleDocs
  readonly needs: readonly FactName[]
  /** Fetches the facts it needs and checks; rejects when a fact or the check throws. */
  run(session: Session, get: FactGetter, sink: RuleSink): Promise<void>
}

export interface RuleSink {
  finding(finding: Reported<RuleArgs> & { readonly text: string }): void
  notEvaluated(because: string): void
}

/**
 * A rule is one file: its docs, its words and its check. `id` equals the file name and names the bad state.
 * `text` makes the one sentence of a finding from `args` alone, so that a saved report can be worded again.
 */
export function defineRule<Needs extends FactName, Args extends RuleArgs>(rule: {
  readonly id: string
  readonly family: RuleFamily
  readonly severity: Severity
  readonly docs: RuleDocs
  readonly needs: readonly Needs[]
  text(args: Args): string
  check(context: RuleContext<Needs, Args>): void
}): Rule {
  const { id, family, severity, docs, needs } = rule
  return {
    id, family, severity, docs, needs,
    async run(session, get, sink) {
      rule.check({
        session,
        facts: await gather(needs, get),
        report: (finding) => sink.finding({ ...finding, text: rule.text(finding.args) }),
        notEvaluated: (because) => sink.notEvaluated(because),
      })
    },
  }
}

async function gather<N extends FactName>(needs: readonly N[], get: FactGetter): Promise<Pick<Facts, N>> {
  const facts: { [K in N]?: Facts[K] } = {}
  for (const name of needs) facts[name] = await get(name)
  if (!hasAll(facts, needs)) throw new Error(`missing facts: ${needs.join(', ')}`)
  return facts
}

function hasAll<N extends FactName>(facts: { [K in N]?: Facts[K] }, needs: readonly N[]): facts is Pick<Facts, N> {
  return needs.every((name) => facts[name] !== undefined)
}
