import { describe, expect, it } from 'vitest'
import { judgePrograms } from '../../src/facts/program-runs.ts'
import type { Language, ProgramAnalyser, ProgramInput } from '../../src/programs/index.ts'
import { log } from '../support/log.ts'

/** Languages in which the program is analysed, the last one being that of the verdict. */
async function triedFor(code: string, runsAs: Language | null): Promise<Language[]> {
  const tried: Language[] = []
  const analyser: ProgramAnalyser = {
    analyse: async ({ language }: ProgramInput) => {
      tried.push(language)
      return { parse: { ok: true }, replay: language === runsAs ? { valid: true, outerText: 'x' } : { valid: false, because: 'x' }, constantReturn: null, items: [] }
    },
    rest: async () => {},
    close: async () => {},
  }
  const [call] = (await log().user('Go', (t) => t.program(code, (p) => p.returns('x'))).session()).calls
  if (call) await judgePrograms([call], analyser)
  return tried
}

describe('the language of a program', () => {
  it.each([
    ['r = await tools.lookup({"id": "a"})\nprint(r)', null, ['python']],
    ['const r = await tools.lookup({ id: "a" }); return r', null, ['typescript']],
    // Both grammars take these.
    ['r = await tools.lookup({"id": "a"})\nreturn len(r["answers"])', null, ['typescript', 'python']],
    ['return await tools.lookup({"id": "a"})', 'typescript', ['typescript']],
    ['return await tools.lookup({ id: "a" })', null, ['typescript']],
  ] as const)('%s', async (code, runsAs, languages) => {
    expect(await triedFor(code, runsAs)).toEqual(languages)
  })
})
