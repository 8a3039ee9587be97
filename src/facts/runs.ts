import type { LeafCall } from './leaf-calls.ts'

/** Splits calls into runs of neighbours that belong together; rows in `cuts`, ascending, separate too. Gives the runs that pass: most are single calls. */
export function runsOf(
  calls: readonly LeafCall[], cuts: readonly number[],
  same: (a: LeafCall, b: LeafCall) => boolean, passes: (run: readonly LeafCall[]) => boolean,
): (readonly LeafCall[])[] {
  const runs: (readonly LeafCall[])[] = []
  let next = 0
  let from = 0
  const close = (end: number): void => {
    const run = calls.slice(from, end)
    if (passes(run)) runs.push(run)
    from = end
  }
  calls.forEach((call, i) => {
    let cut = false
    for (; (cuts[next] ?? Infinity) < call.seq; next += 1) cut = true
    const last = calls[i - 1]
    if (last && (cut || !same(last, call))) close(i)
  })
  close(calls.length)
  return runs
}
