import { fstatSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'

const CHUNK = 256 * 1024
/** Read again before anything new, to notice what was written over. */
const OVERLAP = 64
/** Every so many looks also by name: a file may have been moved out of the way of another. An open file costs a third of that. */
const BY_NAME = 4

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
 * A look at a file to which nothing happened is one call.
 */
export async function* follow(path: string, { nextLook, patienceMs, signal, onIdle, onReplaced }: FollowOptions): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    let seen = fstatSync(file.fd)
    const buffer = Buffer.allocUnsafe(OVERLAP + CHUNK)
    let tail = Buffer.alloc(0)
    let offset = 0
    let mayHaveMore = true
    let lastNews = performance.now()
    for (let look = 1; !signal.aborted; look += 1) {
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
      const now = fstatSync(file.fd)
      if (now.nlink === 0 || (look % BY_NAME === 0 && statSync(path, { throwIfNoEntry: false })?.ino !== now.ino)) break
      mayHaveMore = now.size !== seen.size || now.mtimeMs !== seen.mtimeMs
      seen = now
    }
    if (!signal.aborted) onReplaced()
  } finally {
    await file.close()
  }
}
