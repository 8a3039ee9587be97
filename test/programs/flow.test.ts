import { afterAll, describe, expect, it } from 'vitest'
import { createProgramAnalyser, type ItemFlow } from '../../src/programs/index.ts'
import { asked, LEFT, program } from './support.ts'

const analyser = createProgramAnalyser({ replay: false })
afterAll(() => analyser.close())

async function flowOf(code: string, language: 'typescript' | 'python' = 'typescript'): Promise<ItemFlow> {
  const verdict = await analyser.analyse({ ...program(code, ''), language })
  const flow = verdict.items[0]?.flow
  if (!flow) throw new Error(JSON.stringify(verdict.parse))
  return flow
}
const ways = ({ selected: { returns, logs, throws } }: ItemFlow): string => `${returns} ${logs} ${throws}`

describe('where a JavaScript program takes the answer', () => {
  it.each([
    ["await ASK; return 'asked'", 'none none none'],
    ['const r = await ASK; void r', 'none none none'],
    ['const r = await ASK; return r.answer', 'none none none'],
    ['const r = await ASK; return r.answers.length', 'none none none'],
    ['const r = await ASK; return r.answers.map((a) => a.id)', 'none none none'],
    ['const r = await ASK; return r.answers[0].custom', 'none none none'],
    ["const r = await ASK; if (!r) throw new Error('none'); return 'ok'", 'none none none'],
    ['const p = ASK; console.log(p)', 'none none none'],
    ['return ASK', 'value none none'],
    ['const { answers: [{ selected: [way] }] } = await ASK; console.log(way)', 'none value none'],
    ["const r = await ASK; return r.answers[0].selected[0] === 'Left' ? 1 : 2", 'choice none none'],
    ["const r = await ASK; if (r.answers[0].selected[0] === 'Left') return 1; console.log('on')", 'choice choice none'],
    ['const r = await ASK; throw new Error(r.answers[0].selected[0])', 'none none value'],
    ['const out = []; const list = out; for (const a of (await ASK).answers) list.push(a.selected[0]); return out', 'value none none'],
    ['class Box { async fill() { this.r = await ASK; return this } text() { return this.r.answers[0].selected[0] } }; return (await new Box().fill()).text()', 'value none none'],
    ['const put = (target, value) => { target.way = value }; const o = {}; put(o, (await ASK).answers[0].selected); return o', 'value none none'],
    ['let give; const p = new Promise((r) => { give = r }); ASK.then((r) => give(r.answers[0].selected[0])); return await p', 'value none none'],
    ['const r = await ASK; r.answers[0].selected.forEach(console.log)', 'none value none'],
    ['const r = await ASK; const { log } = console; log(`${{ toString: () => r.answers[0].selected[0] }}`)', 'none value none'],
    ["const r = await ASK; return eval('r.answers[0].selected[0]')", 'value none none'],
    ["const r = await ASK; const s = [2, 1]; if (r.answers[0].selected[0] === 'Left') s.sort(); return s", 'choice none none'],
    ['globalThis.kept = await ASK; return globalThis.kept.answers[0].selected', 'value none none'],
    ['const f = function () { return arguments[0].answers[0].selected }; return f(await ASK)', 'value none none'],
    ['process.stdout.write((await ASK).answers[0].selected[0])', 'none value none'],
  ])('%s', async (code, expected) => {
    expect(ways(await flowOf(code))).toBe(expected)
  })

  it('later calls: their arguments and whether they are made', async () => {
    const code = "const r = await ASK; await tools.write({ content: r.answers[0].selected[0] }); if (r.answers[0].selected.length) { await tools.bash({ command: 'ls' }) }"
    expect((await flowOf(code)).selected.calls.map(({ tool, how }) => [tool, how])).toEqual([['write', 'value'], ['bash', 'choice']])
  })

  it('labels and typed text are told apart', async () => {
    const flow = await flowOf('const [a] = (await ASK).answers; console.log(a.selected); return a.custom')
    expect(flow).toMatchObject({ selected: { returns: 'none', logs: 'value' }, custom: { returns: 'value', logs: 'none' } })
  })

  it('a promise that nobody awaits is floating', async () => {
    expect((await flowOf("ASK; return 'x'")).floating).toBe(true)
    expect((await flowOf('await ASK')).floating).toBe(false)
    expect((await flowOf('return (await Promise.all([ASK]))[0]')).floating).toBe(false)
  })

  it('an alias, a destructured and a computed tool are call sites', async () => {
    for (const ask of ['const { ask_user_question } = tools; const r = await ask_user_question', 'const t = tools; const r = await t["ask_user_question"]', "const call = (n, a) => tools[n](a); const r = await call.bind(null, 'ask_user_question')"]) {
      expect(ways(await flowOf(`${ask}({ questions: [] }); return r`))).toBe('value none none')
    }
  })

  it('two questions are matched to their sites by the ids in the text', async () => {
    const ask = (id: string): string => `tools.ask_user_question({ questions: [{ id: '${id}', question: 'Which way?' }] })`
    const verdict = await analyser.analyse(program(`const [a, b] = [await ${ask('one')}, await ${ask('two')}]; await ${ask('three')}; return b`, '', [
      asked(1, [{ id: 'one', selected: ['Left'] }]), asked(2, [{ id: 'two', selected: ['Left'] }]), asked(3, [{ id: 'three', selected: ['Left'] }]),
    ]))
    expect(verdict.items.map((i) => i.flow?.selected.returns)).toEqual(['value', 'value', 'none'])
    expect(verdict.items[2]?.flow?.site?.text).toContain("'three'")
  })
})

describe('where a Python program takes the answer', () => {
  const ask = 'await tools.ask_user_question({"questions": [{"id": "way", "question": "Which way?"}]})'
  it.each([
    [`${ask}\nprint("asked")`, 'none none none'],
    [`r = ${ask}\nreturn len(r["answers"])`, 'none none none'],
    [`r = ${ask}\nreturn r["answers"][0]["selected"][0]`, 'value none none'],
    [`r = ${ask}\nfor a in r["answers"]:\n    print(f"{a['id']}: {a['selected']}")`, 'none value none'],
    [`r = ${ask}\nfor a in r["answers"]:\n    print(a["id"])`, 'none none none'],
    [`r = ${ask}\nby = {a["id"]: a for a in r["answers"]}\nreturn by["way"]["selected"]`, 'value none none'],
    [`r = ${ask}\nif r["answers"][0]["selected"][0] == "Left":\n    return 1\nreturn 2`, 'choice none none'],
    [`async def ask():\n    r = ${ask}\n    return r.get("answers")[0].get("selected")\nprint(await ask())`, 'none value none'],
    [`import asyncio\na, = await asyncio.gather(${ask.replace('await ', '')})\nreturn a["answers"]`, 'value none none'],
    [`r = ${ask}\nout = []\nout.append(r["answers"][0]["selected"])\nreturn out`, 'value none none'],
    [`r = ${ask}\nraise ValueError(r["answers"][0]["selected"][0])`, 'none none value'],
    [`try:\n    r = ${ask}\nexcept Exception as e:\n    print(e)\nreturn "x"`, 'none none none'],
    [`way = "Up"\nasync def ask():\n    way = (${ask})["answers"][0]["selected"][0]\nawait ask()\nprint(way)`, 'none none none'],
    [`way = "Up"\nasync def ask():\n    global way\n    way = (${ask})["answers"][0]["selected"][0]\nawait ask()\nprint(way)`, 'none value none'],
    [`match (${ask})["answers"][0]:\n    case {"selected": [x]}:\n        print(x)`, 'none value none'],
    [`match (${ask})["answers"][0]["selected"]:\n    case ["Left"]:\n        print(1)\n    case _:\n        print(2)`, 'none choice none'],
    [`class Form:\n    def put(self, v):\n        self.v = v\n    def show(self):\n        return f"<{self.v}>"\nf = Form()\nf.put((${ask})["answers"][0]["selected"][0])\nprint(f.show())`, 'none value none'],
    [`class Form:\n    async def run(self):\n        self.r = ${ask}\n        return self\n    @property\n    def way(self):\n        return self.r["answers"][0]["selected"][0]\nreturn (await Form().run()).way`, 'value none none'],
    [`class Way:\n    def __init__(self, v):\n        self.v = v\n    def __str__(self):\n        return self.v\nprint(Way((${ask})["answers"][0]["selected"][0]))`, 'none value none'],
    [`class Form:\n    async def run(self):\n        ${ask}\n        return self\n    def show(self):\n        return "asked"\nprint((await Form().run()).show())`, 'none none none'],
  ])('%s', async (code, expected) => {
    expect(ways(await flowOf(code, 'python'))).toBe(expected)
  })

  it('a program that does not parse is a fact', async () => {
    expect((await analyser.analyse({ code: 'x = 1\nif x', language: 'python', calls: [LEFT], outer: null })).parse).toMatchObject({ ok: false, line: 2 })
  })
})

it('a constant return is known as one', async () => {
  expect((await analyser.analyse(program("await ASK; return 'asked'", 'asked'))).constantReturn).toBe('asked')
  expect((await analyser.analyse(program("if (x) return 'a'; return 'b'", 'a'))).constantReturn).toBeNull()
})
