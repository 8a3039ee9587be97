/** Build step: writes the JSON Schemas of the report and the configuration to the folder in the first argument. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { configSchema } from './cli/config.ts'
import { reportSchema } from './report/schema.ts'

const [, , folder] = process.argv
if (folder === undefined) throw new Error('usage: write-schemas FOLDER')
// As input: readers must let fields pass that a later version adds.
for (const [name, schema] of Object.entries({ report: reportSchema, config: configSchema })) {
  const json = { title: `dsh-inquest ${name}`, ...z.toJSONSchema(schema, { io: 'input' }) }
  writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(json, null, 2)}\n`)
}
