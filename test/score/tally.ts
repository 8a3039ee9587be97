import type { Verdict } from './verdicts.ts'

/** `low` and `high`: the 95 % interval of Wilson. All of them are null when there is nothing to count. */
export interface Ratio {
  readonly right: number
  readonly of: number
  readonly share: number | null
  readonly low: number | null
  readonly high: number | null
}

export interface Tally {
  readonly name: string
  /** Of what was reported. */
  readonly precision: Ratio
  /** Of what was expected. */
  readonly recall: Ratio
  /** Of what was right and has a row it should stand at. */
  readonly place: Ratio
  readonly forbidden: number
}

const Z = 1.959_964

export function ratio(right: number, of: number): Ratio {
  if (of === 0) return { right, of, share: null, low: null, high: null }
  const p = right / of
  const centre = p + Z ** 2 / (2 * of)
  const reach = Z * Math.sqrt((p * (1 - p)) / of + Z ** 2 / (4 * of ** 2))
  const scale = 1 + Z ** 2 / of
  return { right, of, share: p, low: Math.max(0, (centre - reach) / scale), high: Math.min(1, (centre + reach) / scale) }
}

/** One per name, in the order of `names`; others follow as they come. */
export function tallies(verdicts: readonly Verdict[], names: readonly string[] = []): Tally[] {
  const all = new Set([...names, ...verdicts.flatMap((v) => [v.expected, v.reported])])
  return [...all].filter((name) => name !== null).map((name) => tally(name, verdicts, (n) => n === name)).filter(({ precision, recall }) => precision.of + recall.of > 0)
}

export function tally(name: string, verdicts: readonly Verdict[], isMeant: (name: string) => boolean = () => true): Tally {
  const expected = verdicts.filter((v) => v.expected !== null && isMeant(v.expected))
  const reported = verdicts.filter((v) => v.reported !== null && isMeant(v.reported))
  return {
    name, precision: share(reported, (v) => v.right), recall: share(expected, (v) => v.right),
    place: share(reported.filter((v) => v.placed !== null), (v) => v.placed === true),
    forbidden: reported.filter((v) => v.forbidden).length,
  }
}

export function share(verdicts: readonly Verdict[], is: (verdict: Verdict) => boolean): Ratio {
  return ratio(verdicts.filter(is).length, verdicts.length)
}
