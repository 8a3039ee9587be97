/** A log reads the same plain, as zstd frames of stored text, and as frames of a real encoder where there is one. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { InputError } from '../../src/errors.ts'
import { decoded } from '../support/decoded.ts'
import { canEncode, encodedFrame, zstdLog } from '../support/zstd.ts'

const files = readdirSync('fixtures', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl')).toSorted().map((file) => join('fixtures', file))

async function read(bytes: Buffer): Promise<unknown> {
  try {
    return await decoded(bytes)
  } catch (error) {
    if (error instanceof InputError) return error.code
    throw error
  }
}

test.each(files)('%s reads the same as zstd', async (file) => {
  // A torn last line would be a frame without a line break, which is an issue of its own.
  const text = readFileSync(file, 'utf8').replace(/[^\n]+$/, '')
  const plain = await read(Buffer.from(text))
  expect(await read(await zstdLog(text))).toEqual(plain)
  if (canEncode) expect(await read(Buffer.concat((text.match(/(?:.*\n){1,200}/g) ?? []).map(encodedFrame)))).toEqual(plain)
})
