import type { Issue, Open } from '../decode/head.ts'
import type { FileState } from './files.ts'

export interface LogSource {
  /** As shown in reports: the path as given, or below the folder as given; `archive.zip!entry`; `capture#session`; `-`. */
  readonly name: string
  /** Path of the file that holds this log and nothing else; null: it stands in an archive, a capture, standard input. */
  readonly file: string | null
  /** Of that file, before it was read; null when `file` is. */
  readonly state: FileState | null
  /** Bytes that `open` gives; null when unknown (captures). */
  readonly size: number | null
  /** Header id. */
  readonly id: string
  /** Log format. */
  readonly version: number
  /** Header id of the session this one was forked or delegated from. */
  readonly parent: string | null
  /** About the file as a whole: other files with the same session; a capture instead of a log. */
  readonly issues: readonly Issue[]
  /** The bytes as stored, plain or zstd; can be called again. Throws `InputError` when reading fails. A chunk is only good until the next. */
  readonly open: Open
}
