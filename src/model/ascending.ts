/** Searches of what stands in log order, by halving, so that a search per row stays cheap however many rows there are. */

/** The first index below `length` at which a condition holds that once it holds, holds for good; `length`: none. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0
  for (let high = length; low < high;) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** The first of ascending numbers that is greater. */
export function firstAfter(ascending: readonly number[], seq: number): number | undefined {
  return ascending[firstIndex(ascending.length, (i) => (ascending[i] ?? Infinity) > seq)]
}

/** The last item at or before a row. */
export function lastUpTo<T>(items: readonly T[], seqOf: (item: T) => number, seq: number): T | undefined {
  return items[firstIndex(items.length, (i) => seqAt(items, seqOf, i) > seq) - 1]
}

/** The items between two rows, both left out. */
export function between<T>(items: readonly T[], seqOf: (item: T) => number, after: number, before: number): readonly T[] {
  return items.slice(firstIndex(items.length, (i) => seqAt(items, seqOf, i) > after), firstIndex(items.length, (i) => seqAt(items, seqOf, i) >= before))
}

function seqAt<T>(items: readonly T[], seqOf: (item: T) => number, i: number): number {
  const item = items[i]
  return item === undefined ? Infinity : seqOf(item)
}

/** For each of ascending rows the first of `spans` that it lies in, bounds left out. */
export function firstSpans<S>(rows: readonly number[], spans: Iterable<S>, boundsOf: (span: S) => { readonly after: number; readonly before: number }): (S | undefined)[] {
  const found: (S | undefined)[] = rows.map(() => undefined)
  /** Leads to the first row at or behind it that has no span yet. */
  const next = rows.map((_, i) => i)
  const free = (i: number): number => {
    let end = i
    while (end < next.length && next[end] !== end) end = next[end] ?? next.length
    for (let at = i; at < end;) {
      const then = next[at] ?? end
      next[at] = end
      at = then
    }
    return end
  }
  for (const span of spans) {
    const { after, before } = boundsOf(span)
    for (let i = free(firstIndex(rows.length, (k) => (rows[k] ?? Infinity) > after)); (rows[i] ?? Infinity) < before; i = free(i)) {
      found[i] = span
      next[i] = i + 1
    }
  }
  return found
}
