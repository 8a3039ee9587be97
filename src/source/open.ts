import { closeSync, openSync, readSync } from 'node:fs'
import { InputError } from '../errors.ts'

/** Chunks that stay in the processor's cache: from 192 KiB on, reading them costs three times as much. */
const CHUNK = 64 * 1024
/** Many files are opened for their first line alone. */
const FIRST_CHUNK = 16 * 1024

/**
 * The bytes of a file. A buffer is used again and again: a chunk is only good until the next one is asked for.
 * Reads block: decoding does too, so the thread pool would have nothing to overlap with.
 */
export async function* fileBytes(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = orUnreadable(name, () => openSync(path, 'r'))
  try {
    let buffer = Buffer.allocUnsafe(FIRST_CHUNK)
    for (;;) {
      const bytes = orUnreadable(name, () => readSync(file, buffer))
      if (bytes === 0) return
      yield buffer.subarray(0, bytes)
      if (buffer.length < CHUNK) buffer = Buffer.allocUnsafe(CHUNK)
    }
  } finally {
    closeSync(file)
  }
}

function orUnreadable<T>(name: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw unreadable(error, name)
  }
}

/** Names what the operating system said, and what to do about it. */
export function unreadable(error: unknown, name: string): InputError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return new InputError('not-found', name, 'does not exist. Check the path.', { cause: error })
  if (code === 'EACCES' || code === 'EPERM') return new InputError('no-access', name, 'may not be read by this user. Change its permissions or copy it.', { cause: error })
  return new InputError('unreadable', name, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}
