import { crc32 } from 'node:zlib'
import { openPromise, type Entry } from 'yauzl'
import { InputError } from '../errors.ts'
import { fileBytes } from './open.ts'

/** Logs in an export: the session's own, and one folder per descendant. Attachments lie in `media/` and `files/`. */
const LOG = /(?:^|\/)[^/]+\.jsonl(?:\.zstd|\.zst)?$/
const ATTACHMENT = /(?:^|\/)(?:media|files|__MACOSX)\//
/** Far above any real export; an archive beyond it is a mistake or an attack. */
const MAX_ENTRIES = 100_000
const MAX_BYTES = 64 * 1024 ** 3
/** Text logs shrink to a tenth or so. Beyond this ratio a big entry is no log. */
const MAX_RATIO = 400
const BIG = 256 * 1024 ** 2

export interface ZipLog {
  /** Name inside the archive. */
  readonly entry: string
  /** Bytes once unpacked. */
  readonly size: number
  readonly open: () => AsyncGenerator<Uint8Array>
}

/** Told by the first bytes, not by the name. */
export async function isZip(path: string): Promise<boolean> {
  for await (const chunk of fileBytes(path, path)) return chunk[0] === 0x50 && chunk[1] === 0x4b && (chunk[2] === 3 || chunk[2] === 5)
  return false
}

/** Logs inside a zip file. Nothing is unpacked to disk. Throws `InputError` for archives that are torn, encrypted or absurd. */
export async function zipLogs(path: string): Promise<ZipLog[]> {
  const entries: Entry[] = []
  try {
    const zip = await openPromise(path)
    if (zip.entryCount > MAX_ENTRIES) throw new InputError('zip-limit', path, `is a zip archive with ${zip.entryCount} entries; ${MAX_ENTRIES} are allowed. Unpack it and give the logs.`)
    for await (const entry of zip.eachEntry()) if (LOG.test(entry.fileName) && !ATTACHMENT.test(entry.fileName)) entries.push(entry)
  } catch (error) {
    throw badZip(error, path)
  }
  for (const entry of entries) {
    if (entry.isEncrypted()) throw new InputError('zip-encrypted', path, 'is an encrypted zip archive. Unpack it first.')
  }
  const total = entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0)
  const bomb = entries.find((entry) => entry.uncompressedSize > BIG && entry.uncompressedSize > entry.compressedSize * MAX_RATIO)
  if (bomb || total > MAX_BYTES) throw new InputError('zip-limit', path, 'is a zip archive that unpacks to far more than logs would. Unpack it and give the logs.')
  return entries.map((entry) => ({ entry: entry.fileName, size: entry.uncompressedSize, open: () => entryBytes(path, entry) }))
}

async function* entryBytes(path: string, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    const zip = await openPromise(path, { autoClose: false, lazyEntries: true })
    try {
      let sum = 0
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        sum = crc32(chunk, sum)
        yield chunk
      }
      if (sum !== entry.crc32) throw new Error(`the checksum of ${entry.fileName} is wrong`)
    } finally {
      zip.close()
    }
  } catch (error) {
    throw badZip(error, path)
  }
}

function badZip(error: unknown, path: string): InputError {
  if (error instanceof InputError) return error
  return new InputError('bad-zip', path, `is a damaged zip archive (${error instanceof Error ? error.message : String(error)}). Export it again, or copy it again.`, { cause: error })
}
