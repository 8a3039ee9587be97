import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSession, type Row } from '../support/log.ts'
import { runScript, writeRun } from '../support/script.ts'

/** Drops, doubles or moves the row at a place. */
const edit = fc.record({ how: fc.constantFrom('drop', 'double', 'move'), at: fc.nat(), to: fc.nat() })
interface Edit { readonly how: string; readonly at: number; readonly to: number }

function edited(rows: readonly Row[], edits: readonly Edit[]): string {
  const events = rows.slice(1)
  for (const { how, at, to } of edits) {
    if (events.length === 0) break
    const [row] = how === 'double' ? events.slice(at % events.length) : events.splice(at % events.length, 1)
    if (row && how !== 'drop') events.splice(to % (events.length + 1), 0, row)
  }
  return `${[rows[0], ...events.map((row, seq) => ({ ...row, seq }))].map((row) => JSON.stringify(row)).join('\n')}\n`
}

test('a log whose rows were dropped, doubled or moved is read to its end', async () => {
  await fc.assert(fc.asyncProperty(runScript, fc.array(edit, { minLength: 1, maxLength: 8 }), async (script, edits) => {
    const text = edited(writeRun(script, { format: 4 }).rows, edits)
    const session = await readSession(Buffer.from(text))
    expect(session.events).toBe(text.split('\n').length - 2 - session.issues.filter((issue) => issue.code === 'malformed-event').length)
    expect(await readSession(Buffer.from(text))).toEqual(session)
  }), { numRuns: 40 })
})
