import type { DiagnoseOptions } from '../diagnose.ts'
import { cleanText } from '../reporters/clean.ts'
import { bytes, cut, oneLine } from '../reporters/format.ts'
import type { Io } from './io.ts'

const FIRST_MS = 500
const EVERY_MS = 100
const ERASE = '\r\u001b[K'

type OnProgress = NonNullable<DiagnoseOptions['onProgress']>

/** A line on a terminal's standard error while long work goes on; `end` erases it. */
export function progressLine(stderr: Io['stderr'], now: () => number = Date.now): { onProgress: OnProgress; end: () => void } {
  let next = now() + FIRST_MS
  let shown = false
  return {
    onProgress({ source, bytes: read, totalBytes }) {
      if (stderr.isTTY !== true || now() < next) return
      next = now() + EVERY_MS
      shown = true
      const share = totalBytes === null || totalBytes === 0 ? '' : ` of ${bytes(totalBytes)} (${Math.floor((100 * read) / totalBytes)} %)`
      stderr.write(ERASE + cut(`${bytes(read)}${share}  ${oneLine(cleanText(source))}`, (stderr.columns ?? 80) - 1))
    },
    end() {
      if (shown) stderr.write(ERASE)
    },
  }
}
