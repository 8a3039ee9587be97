import type { PrintOptions } from '../reporters/index.ts'
import type { Io } from './io.ts'

const WIDTH = 100

export type ColorChoice = 'always' | 'never' | 'auto'

/** How to print on standard output. The option wins over FORCE_COLOR, that over NO_COLOR, that over what the terminal is. */
export function terminalOptions(io: Io, color: ColorChoice, verbosity: PrintOptions['verbosity']): PrintOptions {
  const isTTY = io.stdout.isTTY === true
  return { color: wantsColor(io.env, color, isTTY), unicode: speaksUnicode(io.env), width: isTTY ? (io.stdout.columns ?? WIDTH) : WIDTH, verbosity }
}

export function fileOptions(verbosity: PrintOptions['verbosity']): PrintOptions {
  return { color: false, unicode: true, width: WIDTH, verbosity }
}

function wantsColor(env: Io['env'], choice: ColorChoice, isTTY: boolean): boolean {
  if (choice !== 'auto') return choice === 'always'
  if (env['FORCE_COLOR'] !== undefined) return !['0', 'false'].includes(env['FORCE_COLOR'])
  if (env['NO_COLOR']) return false
  return isTTY && env['TERM'] !== 'dumb'
}

/** Only an explicit other locale, or the Linux console, means ASCII: containers often set no locale at all. */
function speaksUnicode(env: Io['env']): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8'
  return /utf-?8/i.test(locale) && env['TERM'] !== 'linux'
}
