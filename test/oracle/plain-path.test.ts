/**
 * The reader takes shortcuts by bytes: chunk rows are not parsed, embedded streams are cut out. A row whose keys stand in
 * another order fits no shortcut and takes the plain path (JSON.parse, schemas). Both must give the same events.
 * `INQUEST_CORPUS=DIR` adds a folder of logs that is not part of this project.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { decodeLog } from '../../src/decode/decode.ts'
import type { LogEvent } from '../../src/decode/event.ts'
import { IssueLog } from '../../src/decode/issues.ts'
import { decodeText } from '../../src/decode/text.ts'
import { InputError } from '../../src/errors.ts'
import { isRecord, tryJson } from '../../src/model/canonical.ts'
import { fileBytes } from '../../src/source/open.ts'

const roots = ['fixtures', ...(process.env['INQUEST_CORPUS'] ? [process.env['INQUEST_CORPUS']] : [])]
const files = roots.flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((f) => /\.jsonl(?:\.zstd)?$/.test(f)).toSorted().map((f) => join(root, f)))

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Sizes of rows left out: they differ with the spelling of a row. */
async function eventsOf(bytes: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const events: unknown[] = []
  await decodeLog(bytes, 'log', {
    header: (header) => events.push(header),
    event: (event: LogEvent) => events.push({ ...event, bytes: 0, ...('toolCallBytes' in event ? { toolCallBytes: event.toolCallBytes > 0 } : {}) }),
    issue: ({ code, line, seq, harness }) => events.push({ code, line, seq, harness }),
  })
  return events
}

async function textOf(file: string): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of decodeText(fileBytes(file, file), file, new IssueLog(file, () => {}))) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString()
}

function reordered(line: string, i: number): string {
  const row = tryJson(line)
  return i === 0 || !isRecord(row) ? line : JSON.stringify(Object.fromEntries(Object.entries(row).toReversed()))
}

test.each(files)('%s reads the same on the plain path', async (file) => {
  const text = await textOf(file).catch((error: unknown) => {
    if (error instanceof InputError) return ''
    throw error
  })
  const quick = eventsOf(once(text))
  const plain = eventsOf(once(text.split('\n').map(reordered).join('\n')))
  const [one, other] = await Promise.allSettled([quick, plain])
  if (one.status === 'rejected') {
    expect(one.reason).toBeInstanceOf(InputError)
    expect(other.status).toBe('rejected')
  } else expect(await plain).toEqual(one.value)
})
