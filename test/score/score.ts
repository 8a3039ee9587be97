import { answerStates, roundStates } from '../../src/facts/vocabulary.ts'
import type { Report } from '../../src/index.ts'
import { rules } from '../../src/rules/index.ts'
import type { Case, Labels } from './cases.ts'
import { ratio, share, tallies, tally, type Ratio, type Tally } from './tally.ts'
import { verdictsOf, type Verdict } from './verdicts.ts'

export interface Score {
  readonly cases: Ratio
  readonly groups: readonly Group[]
  readonly misjudged: readonly { readonly name: string; readonly note: string; readonly problems: readonly string[] }[]
  readonly forbidden: readonly string[]
}

export interface Group {
  readonly name: Verdict['group']
  /** Cases that have labels of this group. */
  readonly cases: number
  readonly overall: Tally
  /** Mean over these cases of the share that is right; what nobody expected counts as wrong. */
  readonly meanOverCases: number
  /** Reasons of answers, kinds of idle rounds. */
  readonly details: Ratio
  readonly tallies: readonly Tally[]
}

const NAMES: Readonly<Record<Verdict['group'], readonly string[]>> = { answers: answerStates, rounds: roundStates, rules: rules.map((r) => r.id) }
const groups = ['answers', 'rounds', 'rules'] as const
const isLabelled: Readonly<Record<Verdict['group'], (labels: Labels) => boolean>> = {
  answers: ({ answers }) => answers.length > 0,
  rounds: ({ rounds }) => rounds.length > 0,
  rules: ({ findings, absent, absentIn }) => findings.length + absent.length + Object.keys(absentIn).length > 0,
}

export async function score(cases: readonly Case[], diagnose: (folder: string) => Promise<Report>): Promise<Score> {
  const judged: { readonly labelled: Case; readonly verdicts: readonly Verdict[]; readonly problems: readonly string[] }[] = []
  for (const labelled of cases) {
    const { sessions, failures } = await diagnose(labelled.folder)
    const verdicts = verdictsOf(labelled.labels, sessions)
    judged.push({ labelled, verdicts, problems: [...failures.map((f) => `${f.code}: ${f.text}`), ...verdicts.filter((v) => !v.right).map((v) => v.what)] })
  }
  const wrong = judged.filter((j) => j.problems.length > 0)
  const rows = groups.flatMap((name) => {
    const perCase = judged.filter(({ labelled: { labels } }) => isLabelled[name](labels)).map(({ verdicts }) => verdicts.filter((v) => v.group === name))
    return perCase.length > 0 ? [group(name, perCase)] : []
  })
  return {
    cases: ratio(judged.length - wrong.length, judged.length),
    groups: rows,
    misjudged: wrong.map(({ labelled: { name, labels: { note } }, problems }) => ({ name, note, problems })),
    forbidden: judged.flatMap(({ labelled: { name }, verdicts }) => verdicts.filter((v) => v.forbidden).map((v) => `${name}: ${v.what}`)),
  }
}

function group(name: Verdict['group'], perCase: readonly (readonly Verdict[])[]): Group {
  const verdicts = perCase.flat()
  const shares = perCase.map((own) => share(own, (v) => v.right).share ?? 1)
  return {
    name, cases: perCase.length, overall: tally('all', verdicts), meanOverCases: shares.reduce((sum, s) => sum + s, 0) / shares.length,
    details: share(verdicts.filter((v) => v.detail !== null), (v) => v.detail === true), tallies: tallies(verdicts, NAMES[name]),
  }
}
