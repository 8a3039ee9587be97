/** The tables of the README follow from the code; `npx vitest run test/readme.test.ts -u` writes them anew. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { diagnose } from '../src/index.ts'
import { answerStateDocs, idleKindDocs, roundStateDocs } from '../src/report/states.ts'
import { reporters } from '../src/reporters/index.ts'
import { rules } from '../src/rules/index.ts'

const README = new URL('../README.md', import.meta.url)
const FIXTURE = 'fixtures/stuck-goal-run/session.jsonl'

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
const docs = (entries: Readonly<Record<string, string>>) => Object.entries(entries).map(([name, text]) => [`\`${name}\``, text])

const blocks: Readonly<Record<string, () => Promise<string> | string>> = {
  example: async () => {
    const text = reporters.get('text')?.(await diagnose(FIXTURE), { color: false, unicode: true, width: 100, verbosity: 'normal' })
    return `\`\`\`text\n$ inquest inspect ${FIXTURE}\n${text}\`\`\``
  },
  states: () => [
    table(['answer', 'meaning'], docs(answerStateDocs)),
    table(['goal round', 'meaning'], docs(roundStateDocs)),
    table(['idle round', 'meaning'], docs(idleKindDocs)),
  ].join('\n\n'),
  rules: () => table(['rule', 'default', 'reports'], rules.map(({ id, severity, docs: { what } }) => [`\`${id}\``, severity, what.replaceAll('|', '\\|')])),
}

test('the README shows what the code says', async () => {
  let readme = await readFile(README, 'utf8')
  for (const [name, make] of Object.entries(blocks)) {
    const block = `<!-- ${name} -->\n${await make()}\n<!-- /${name} -->`
    readme = readme.replace(new RegExp(`<!-- ${name} -->[^]*<!-- /${name} -->`), () => block)
  }
  await expect(readme).toMatchFileSnapshot('../README.md')
})

test('every format is in the README', async () => {
  const readme = await readFile(README, 'utf8')
  for (const format of reporters.keys()) expect(readme).toContain(`| \`${format}\` |`)
})
