import type { InputError } from '../errors.ts'
import type { Failure } from './schema.ts'

/** An input that could not be analysed, as the report tells it. */
export function failureOf(error: InputError): Failure {
  return { source: error.path, code: error.code, text: error.message, rule: null }
}
