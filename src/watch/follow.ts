import { open, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const CHUNK = 256 * 1024
/** Read again before anything new, to notice what was written over. */
const OVERLAP = 64

export interface FollowOptions {
  readonly pollMs: number
  /** Without anything new for so long, the file is let go. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** All that is there was handed over. Called again at every look. */
  readonly onIdle: () => Promise<void>
  /** The file is gone or another one: it must be looked for again. */
  readonly onReplaced: () => void
}

/**
 * The bytes of a file while it grows. Ends when it is gone, replaced, shorter than before, or changed in place (a failed
 * append is taken back by its writer): what was read then no longer holds, and it must be read from its beginning.
 */
export async function* follow(path: string, { pollMs, patienceMs, signal, onIdle, onReplaced }: FollowOptions): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const { ino } = await file.stat()
    const buffer = Buffer.allocUnsafe(OVERLAP + CHUNK)
    let tail = Buffer.alloc(0)
    let offset = 0
    let waited = 0
    while (!signal.aborted) {
      const { bytesRead } = await file.read(buffer, 0, tail.length + CHUNK, offset - tail.length)
      if (bytesRead < tail.length || !buffer.subarray(0, tail.length).equals(tail)) break
      const fresh = buffer.subarray(tail.length, bytesRead)
      if (fresh.length > 0) {
        waited = 0
        offset += fresh.length
        tail = Buffer.from(buffer.subarray(Math.max(0, bytesRead - OVERLAP), bytesRead))
        yield fresh
        continue
      }
      await onIdle()
      if (waited >= patienceMs) return
      await sleep(pollMs, undefined, { signal }).catch(() => undefined)
      waited += pollMs
      const now = await stat(path).catch(() => null)
      if (now?.ino !== ino) break
    }
    if (!signal.aborted) onReplaced()
  } finally {
    await file.close()
  }
}
