/** The files under `fixtures/` are what the scripts say; `npm run fixtures` writes them anew. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { fixtures } from './support/fixtures.ts'

const ROOT = new URL('../fixtures/', import.meta.url)

test('the fixtures on disk are what their scripts write', async () => {
  for (const [path, content] of await fixtures()) {
    const file = fileURLToPath(new URL(path, ROOT))
    if (process.env['WRITE_FIXTURES']) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content)
    }
    const onDisk = await readFile(file)
    expect(onDisk.equals(Buffer.from(content)), `${path} is not what its script writes`).toBe(true)
  }
})
