import type { Head } from '../decode/head.ts'
import type { FileState } from './files.ts'

/** What is known about files, by subject, for as long as they stay as they are. */
export interface Notes {
  /** `undefined`: nothing. */
  get(file: FileState, subject: string): unknown
  /** `value` goes through JSON. */
  put(file: FileState, subject: string, value: unknown): void
}

const HEAD = 'head'
type NotedHead = Pick<Head, 'id' | 'version' | 'parent'>

export function headIn(notes: Notes | null, file: FileState): NotedHead | null {
  const noted = notes?.get(file, HEAD)
  if (!Array.isArray(noted)) return null
  const [id, version, parent]: unknown[] = noted
  return typeof id === 'string' && typeof version === 'number' && (parent === null || typeof parent === 'string') ? { id, version, parent } : null
}

export function noteHead(notes: Notes | null, file: FileState, { id, version, parent }: NotedHead): void {
  notes?.put(file, HEAD, [id, version, parent])
}
