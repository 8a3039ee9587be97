/** ` (did you mean X?)` for the known name that is a slip of the finger away from `name`; empty when there is none. */
export function didYouMean(name: string, known: readonly string[]): string {
  const hit = nearest(name, known)
  return hit === null ? '' : ` (did you mean ${hit}?)`
}

/** At most one edit in three characters, the fewest edits first, then the order of `known`. */
export function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known.map((word) => ({ word, edits: edits(name.toLowerCase(), word) })).toSorted((a, b) => a.edits - b.edits)
  const [best] = ranked
  return best !== undefined && best.edits <= Math.max(name.length, best.word.length) / 3 ? best.word : null
}

/** Insertions, deletions, substitutions and swaps of neighbours. */
function edits(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
      ))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
