import { open } from 'node:fs/promises'
import { InputError } from '../errors.ts'

const CHUNK = 256 * 1024

/** The bytes of a file. One buffer is used again and again: a chunk is only good until the next one is asked for. */
export async function* fileBytes(path: string, name: string): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadable(error, name)
  })
  try {
    const buffer = Buffer.allocUnsafe(CHUNK)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK).catch((error: unknown) => {
        throw unreadable(error, name)
      })
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** Names what the operating system said, and what to do about it. */
export function unreadable(error: unknown, name: string): InputError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return new InputError('not-found', name, 'does not exist. Check the path.', { cause: error })
  if (code === 'EACCES' || code === 'EPERM') return new InputError('no-access', name, 'may not be read by this user. Change its permissions or copy it.', { cause: error })
  return new InputError('unreadable', name, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}
