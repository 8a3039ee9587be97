/** Build step: writes the JSON Schema of the report to the path in the first argument. */
import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { reportSchema } from './schema.ts'

const [, , path] = process.argv
if (path === undefined) throw new Error('usage: write-schema PATH')
// As input: readers must let fields pass that a later version adds.
const schema = { title: 'dsh-inquest report', ...z.toJSONSchema(reportSchema, { io: 'input' }) }
writeFileSync(path, `${JSON.stringify(schema, null, 2)}\n`)
