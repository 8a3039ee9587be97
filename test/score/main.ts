/** `npm run score -- DIR [DIR…] [--list] [--json FILE]`: how well the labelled cases below these folders are judged. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readCases } from './cases.ts'
import { print } from './print.ts'
import { score } from './score.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean', default: false }, json: { type: 'string' } } })
const cases = await readCases(positionals)
if (cases.length === 0) {
  console.error('npm run score -- DIR [DIR…] [--list] [--json FILE]: name a folder that has labelled cases in it, such as fixtures/labelled')
  process.exit(2)
}
// The compiled sources look for it beside themselves.
copyFileSync('package.json', new URL('../../package.json', import.meta.url))
const { diagnose } = await import('../../src/index.ts')
const result = await score(cases, (folder) => diagnose(folder))
console.log(print(result, values.list))
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
