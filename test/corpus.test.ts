/**
 * Reads a folder of real and snapshot logs that is not part of this project: `INQUEST_CORPUS=DIR npx vitest run test/corpus.test.ts`.
 * Every log there is read without a crash; the only trouble is what `corpus-issues.json` lists, each with its reason.
 */
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { decodeLog } from '../src/decode/decode.ts'
import { InputError } from '../src/errors.ts'
import { SessionBuilder } from '../src/model/build.ts'

const CORPUS = process.env['INQUEST_CORPUS'] ?? ''
const listed = z.record(z.string(), z.object({ codes: z.array(z.string()), because: z.string() }))

/** Issue codes, or the code of the error that the log is refused with. */
async function troubleIn(file: string): Promise<string[]> {
  const builder = new SessionBuilder(file)
  try {
    await decodeLog(createReadStream(file), file, builder)
    return [...new Set(builder.finish().issues.map((issue) => issue.code))].toSorted()
  } catch (error) {
    if (error instanceof InputError) return [error.code]
    throw error
  }
}

test.runIf(CORPUS !== '')('the logs of the corpus have only the trouble that is known', { timeout: 600_000 }, async () => {
  const expected = listed.parse(JSON.parse(await readFile(new URL('corpus-issues.json', import.meta.url), 'utf8')))
  const entries = await readdir(CORPUS, { recursive: true, withFileTypes: true })
  const files = entries.filter((e) => e.isFile() && /\.jsonl(?:\.zstd)?$/.test(e.name)).map((e) => join(e.parentPath, e.name))
  const found: Record<string, string[]> = {}
  for (const file of files) {
    const codes = await troubleIn(file)
    if (codes.length > 0) found[relative(CORPUS, file).split(sep).join('/')] = codes
  }
  const known = Object.entries(expected).filter(([path]) => files.some((file) => relative(CORPUS, file).split(sep).join('/') === path))
  expect(found).toEqual(Object.fromEntries(known.map(([path, { codes }]) => [path, codes])))
  expect(files.length).toBeGreaterThan(0)
})
