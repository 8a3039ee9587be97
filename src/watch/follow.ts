import { constants, fstatSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { infoOf } from './scan.ts'

const CHUNK = 256 * 1024
/** Read again before anything new, to notice what was written over. */
const OVERLAP = 64
/** Every so many looks also by name: a file may have been moved out of the way of another. An open file costs a third of that. */
const BY_NAME = 6
/** Of a pipe that took the place of a log, opening would wait for a writer, and nothing could end that. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK

export interface FollowOptions {
  /** Resolves at the first look at which `isDue`; fails when that does. */
  readonly until: (isDue: () => boolean) => Promise<void>
  /** Whether there is reason for `onIdle`, without anything new in the file. */
  readonly isDue: () => boolean
  /** Without anything new for so long, the file is let go. */
  readonly patienceMs: number
  readonly signal: AbortSignal
  /** Bytes after which there is an `onIdle`, whatever follows them. */
  readonly pauseAt: number
  /** All that is there was handed over. */
  readonly onIdle: () => Promise<void>
  /** The file is gone or another one, or its bytes are. */
  readonly onReplaced: () => void
}

/**
 * The bytes of a file while it grows. Ends when it is gone, replaced, shorter than before, or changed in place (a failed
 * append is taken back by its writer): what was read then no longer holds, and it must be read from its beginning.
 * A look at a file to which nothing happened is one call, and wakes nobody.
 */
export async function* follow(path: string, { until, isDue, patienceMs, signal, pauseAt, onIdle, onReplaced }: FollowOptions): AsyncGenerator<Uint8Array> {
  const file = await open(path, READ)
  try {
    const { fd } = file
    let seen = fstatSync(fd)
    let looks = 0
    const isGone = (): boolean => seen.nlink === 0 || (looks % BY_NAME === 0 && infoOf(path)?.ino !== seen.ino)
    const buffer = Buffer.allocUnsafe(OVERLAP + CHUNK)
    let tail = Buffer.alloc(0)
    let offset = 0
    let lastNews = performance.now()
    while (!signal.aborted) {
      const room = offset < pauseAt ? Math.min(CHUNK, pauseAt - offset) : CHUNK
      const { bytesRead } = await file.read(buffer, 0, tail.length + room, offset - tail.length)
      if (bytesRead < tail.length || !buffer.subarray(0, tail.length).equals(tail)) break
      const fresh = buffer.subarray(tail.length, bytesRead)
      if (fresh.length > 0) {
        lastNews = performance.now()
        offset += fresh.length
        tail = Buffer.from(buffer.subarray(Math.max(0, bytesRead - OVERLAP), bytesRead))
        yield fresh
        if (offset === pauseAt) await onIdle()
        continue
      }
      await onIdle()
      let wasReplaced = false
      await until(() => {
        const { size, mtimeMs } = seen
        seen = fstatSync(fd)
        looks += 1
        wasReplaced = isGone()
        return wasReplaced || seen.size !== size || seen.mtimeMs !== mtimeMs || isDue() || performance.now() - lastNews >= patienceMs
      })
      if (wasReplaced) break
      if (performance.now() - lastNews >= patienceMs && offset === seen.size) return
    }
    if (!signal.aborted) onReplaced()
  } finally {
    await file.close()
  }
}
