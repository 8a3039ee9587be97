/** Every rule, by family. A new rule is one file and one line here. */
import type { Rule } from './define.ts'

export const rules: readonly Rule[] = [
  // answers

  // questions

  // goals

  // guards

  // loops

  // log
]
