import { afterAll, describe, expect, it } from 'vitest'
import { createProgramAnalyser } from '../../src/programs/index.ts'
import { LEFT, program } from './support.ts'

const analyser = createProgramAnalyser({ replay: true })
const unsealed = createProgramAnalyser({ replay: false })
afterAll(async () => {
  await analyser.close()
  await unsealed.close()
})

const fixOf = async (code: string, text: string, isError = false): Promise<unknown> => (await analyser.analyse(program(code, text, [LEFT], isError))).items[0]?.fix

describe('the suggested change', () => {
  it('names the reply and returns it in place of a constant', async () => {
    expect(await fixOf("// ask\nawait ASK;\nreturn 'asked';", 'asked')).toEqual({
      line: 2, before: "await tools.ask_user_question(…);\nreturn 'asked';", after: 'const answer = await tools.ask_user_question(…);\nreturn answer', verified: 'replayed',
    })
  })

  it('avoids a name in use', async () => {
    expect(await fixOf("const answer = 1; await ASK; return 'asked'", 'asked')).toMatchObject({ after: 'const answer2 = await tools.ask_user_question(…);\nreturn answer2' })
  })

  it('adds the reply to a returned object', async () => {
    expect(await fixOf('const r = await ASK; return { ok: true }', '{\n  "ok": true\n}')).toMatchObject({ after: 'const r = await tools.ask_user_question(…);\nreturn { ok: true, r }' })
  })

  it('prints the reply where the run fails later or the question stands in a function', async () => {
    expect(await fixOf('const r = await ASK; return r.x.y', "Error: code run failed (exception): TypeError: Cannot read properties of undefined (reading 'y')", true))
      .toMatchObject({ after: expect.stringContaining('console.log(JSON.stringify(r))'), verified: 'replayed' })
    expect(await fixOf("const f = async () => { const r = await ASK; }; await f(); return 'x'", 'x')).toMatchObject({ after: expect.stringContaining('console.log(JSON.stringify(r))') })
  })

  it('taps the call where it stands inside an expression', async () => {
    expect(await fixOf("const n = (await ASK).answers.length; return String(n)", '1')).toMatchObject({ after: expect.stringContaining('.then((reply)'), verified: 'replayed' })
  })

  it('is not made for a delivered answer', async () => {
    expect(await fixOf('return (await ASK).answers[0].selected[0]', 'Left')).toBe(null)
  })

  it('is only parsed where nothing was replayed', async () => {
    expect((await unsealed.analyse(program("await ASK; return 'asked'", 'asked'))).items[0]?.fix).toMatchObject({ verified: 'parsed' })
    const python = await unsealed.analyse({ code: 'await tools.ask_user_question({"questions": []})\nprint("asked")', language: 'python', calls: [LEFT], outer: null })
    expect(python.items[0]?.fix).toEqual({ line: 1, before: 'await tools.ask_user_question(…)', after: 'answer = await tools.ask_user_question(…)\nprint(answer)', verified: 'parsed' })
  })
})
