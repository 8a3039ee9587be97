/** Deeper than anything a tool takes; a log may hold more, and recursion must end. */
const MAX_DEPTH = 256

/** JSON text with sorted keys and no spaces: two argument objects are equal iff their canonical texts are (up to depth 256). */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return '"…"'
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v, depth + 1)).join(',')}]`
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined)
    entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return `{${entries.map(([k, v]) => `${JSON.stringify(k)}:${canonicalJson(v, depth + 1)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}

/** Parses JSON text; `undefined` when it is none. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
