/** The only classes thrown on purpose. Everything else that escapes is a bug. */
/** The command line or configuration is wrong; nothing was read. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** One input cannot be analysed. Becomes an entry of `report.failures`; exit code 3. */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** Stable kebab-case code, e.g. `not-found`, `not-a-log`, `unsupported-version`. */
  readonly code: string
  readonly path: string

  /** `message` names what is wrong and what to do, without the path (printers put it in front). */
  constructor(code: string, path: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.path = path
  }
}

/** What one input did, whatever it was: the others go on. */
export function inputErrorOf(error: unknown, path: string): InputError {
  if (error instanceof InputError) return error
  return new InputError('crashed', path, `cannot be analysed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
}
