import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { globSync, isDynamicPattern } from 'tinyglobby'

/**
 * What the shell left as it is: a glob becomes the files and folders it matches, by name. What matches nothing stays, to
 * be reported as missing.
 */
export function expandGlob(pattern: string, cwd: string): string[] {
  if (pattern === '-' || !isDynamicPattern(pattern) || existsSync(resolve(cwd, pattern))) return [pattern]
  const matches = globSync(pattern, { cwd, onlyFiles: false, expandDirectories: false, absolute: isAbsolute(pattern) }).map((path) => path.replace(/\/$/, ''))
  const matched = new Set(matches)
  // A folder is searched through anyway.
  const outermost = matches.filter((path) => !ancestors(path).some((folder) => matched.has(folder)))
  return outermost.length === 0 ? [pattern] : outermost.toSorted()
}

function ancestors(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, i) => parts.slice(0, i).join('/')).slice(1)
}
