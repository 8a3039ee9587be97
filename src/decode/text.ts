import { InputError } from '../errors.ts'
import { ByteReader } from './byte-reader.ts'
import { isZstd } from './frames.ts'
import { decodeFrames } from './frames-thread.ts'
import type { IssueLog } from './issues.ts'

/** Encodings the harness never writes but people pack logs in. */
const FOREIGN: readonly { readonly name: string; readonly bytes: readonly number[]; readonly advice: string }[] = [
  { name: 'gzip', bytes: [0x1f, 0x8b], advice: 'Unpack it first (gunzip).' },
  { name: 'a zip archive', bytes: [0x50, 0x4b, 0x03, 0x04], advice: 'Give it as a file, not through a pipe.' },
  { name: 'an SQLite database', bytes: [...Buffer.from('SQLite format 3')], advice: 'Only JSONL logs can be read.' },
  { name: 'UTF-8 text with a byte order mark', bytes: [0xef, 0xbb, 0xbf], advice: 'Remove the mark first: the harness does not read it either.' },
  { name: 'UTF-16 text', bytes: [0xff, 0xfe], advice: 'Convert it to UTF-8 first.' },
]

/** The text of a log as UTF-8 bytes, whether it is stored plain or as zstd; told by its first bytes, not by its name. */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, file: string, issues: IssueLog, isLive = false): AsyncGenerator<Uint8Array> {
  const input = new ByteReader(bytes)
  try {
    await input.has(16)
    const { held } = input
    const foreign = FOREIGN.find(({ bytes: magic }) => magic.every((byte, i) => held[i] === byte))
    if (foreign) throw new InputError('foreign-encoding', file, `is ${foreign.name}. ${foreign.advice}`)
    if (held.length >= 4 && isZstd(held.readUInt32LE(0))) yield* decodeFrames(input, issues, isLive)
    else yield* input.rest()
  } finally {
    await input.close()
  }
}
