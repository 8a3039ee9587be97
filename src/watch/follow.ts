import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'

const CHUNK = 256 * 1024
/** Read again before anything new, to notice what was written over. */
const OVERLAP = 64

export interface FollowOptions {
  /** Resolves when it is time for another look. */
  readonly nextLook: () => Promise<void>
  /** Without anything new for so long, the file is let go. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** All that is there was handed over. Called again at every look. */
  readonly onIdle: () => Promise<void>
  /** The file is gone or another one, or its bytes are. */
  readonly onReplaced: () => void
}

/**
 * The bytes of a file while it grows. Ends when it is gone, replaced, shorter than before, or changed in place (a failed
 * append is taken back by its writer): what was read then no longer holds, and it must be read from its beginning.
 * A look at a file at which nothing happened is one call.
 */
export async function* follow(path: string, { nextLook, patienceMs, signal, onIdle, onReplaced }: FollowOptions): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    let seen = await file.stat()
    const { ino } = seen
    const buffer = Buffer.allocUnsafe(OVERLAP + CHUNK)
    let tail = Buffer.alloc(0)
    let offset = 0
    let mayHaveMore = true
    let lastNews = performance.now()
    while (!signal.aborted) {
      if (mayHaveMore) {
        const { bytesRead } = await file.read(buffer, 0, tail.length + CHUNK, offset - tail.length)
        if (bytesRead < tail.length || !buffer.subarray(0, tail.length).equals(tail)) break
        const fresh = buffer.subarray(tail.length, bytesRead)
        if (fresh.length > 0) {
          lastNews = performance.now()
          offset += fresh.length
          tail = Buffer.from(buffer.subarray(Math.max(0, bytesRead - OVERLAP), bytesRead))
          yield fresh
          continue
        }
      }
      await onIdle()
      if (performance.now() - lastNews >= patienceMs) return
      await nextLook()
      const now = statSync(path, { throwIfNoEntry: false })
      if (now?.ino !== ino) break
      mayHaveMore = now.size !== seen.size || now.mtimeMs !== seen.mtimeMs
      seen = now
    }
    if (!signal.aborted) onReplaced()
  } finally {
    await file.close()
  }
}
