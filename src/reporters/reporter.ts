import type { Report } from '../report/schema.ts'

export interface PrintOptions {
  readonly color: boolean
  /** False: bars and dashes in ASCII. */
  readonly unicode: boolean
  /** Terminal columns to fill at most. */
  readonly width: number
  readonly verbosity: 'quiet' | 'normal' | 'verbose'
}

/** A pure function of the report; the text ends with a line break. */
export type Reporter = (report: Report, options: PrintOptions) => string
