import { readFileSync } from 'node:fs'

/** The package's own version, read once from its package.json (beside dist/ and src/ alike). */
export const version: string = readVersion()

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  if (manifest !== null && typeof manifest === 'object' && 'version' in manifest && typeof manifest.version === 'string') return manifest.version
  throw new Error('package.json has no version')
}
