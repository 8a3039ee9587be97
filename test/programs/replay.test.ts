import { inspect } from 'node:util'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { createProgramAnalyser, type ItemReplay, type NestedCall, type ProgramInput, type ProgramVerdict } from '../../src/programs/index.ts'
import { asked, called, LEFT, program } from './support.ts'

const analyser = createProgramAnalyser({ replay: true })
afterAll(() => analyser.close())

async function replayed(input: ProgramInput): Promise<ItemReplay[]> {
  const verdict = await analyser.analyse(input)
  expect(verdict.replay).toMatchObject({ valid: true })
  return verdict.items.flatMap((item) => (item.replay ? [item.replay] : []))
}
async function because(input: ProgramInput): Promise<string> {
  const { replay }: ProgramVerdict = await analyser.analyse(input)
  return replay.valid ? 'valid' : replay.because
}

describe('the fate of an answer', () => {
  it.each([
    ['return (await ASK).answers[0].selected', '[\n  "Left"\n]', 'delivered'],
    ['console.log(await ASK)', "{\n  answers: [ { id: 'way', selected: [ 'Left' ] } ]\n}", 'delivered'],
    ["await ASK; return 'asked'", 'asked', 'dropped'],
    ["await ASK; return 'Left, Right or Up'", 'Left, Right or Up', 'dropped'],
    ['const r = await ASK; return r.answer ?? null', 'null', 'dropped'],
    ["const r = await ASK; return r.answers[0].selected[0] === 'Left' ? 'west' : 'east'", 'west', 'derived'],
    ["const r = await ASK; return ['Up', 'Right', 'Left'].sort((a, b) => Number(b === r.answers[0].selected[0]) - Number(a === r.answers[0].selected[0])).join()", 'Left,Up,Right', 'derived'],
    ["const r = await ASK; return ({ Left: 'going Left', Right: 'going Right', Up: 'going Up' })[r.answers[0].selected[0]]", 'going Left', 'delivered'],
    ['const { answers: [a] } = await ASK; const [x = a.custom] = a.selected; return x', 'Left', 'delivered'],
    ['await ASK.then((r) => { r.answers[0].selected })', '(run_code completed with no output)', 'dropped'],
    ['const p = ASK; console.log(p, JSON.stringify(p)); await p', 'Promise { <pending> } {}', 'dropped'],
  ])('%s', async (code, text, fate) => {
    expect((await replayed(program(code, text)))[0]?.fate).toBe(fate)
  })

  it('partial: a typed remark is left out', async () => {
    const [replay] = await replayed(program(
      "const r = await tools.ask_user_question({ questions: [{ id: 'way', question: 'Which way?', options: [{ label: 'Left' }, { label: 'Right' }, { label: 'Up' }], multi_select: true }] }); return r.answers[0].selected.join()",
      'Left,Up', [asked(1, [{ id: 'way', selected: ['Left', 'Up'], custom: 'slowly' }], { multiSelect: true })]))
    expect(replay).toMatchObject({ fate: 'partial', valuesLiteral: [true, true, false] })
  })

  it('consumed: only the arguments of a later call change', async () => {
    const write = called(2, 'write', { file_path: 'way.txt', content: 'Left' }, '<path>/srv/way.txt</path>\n<type>file</type>\n<content>\nCreated file\n</content>')
    const [replay] = await replayed(program("const r = await ASK; const w = await tools.write({ file_path: 'way.txt', content: r.answers[0].selected[0] }); return w.operation", 'create', [LEFT, write]))
    expect(replay).toMatchObject({ fate: 'consumed', outerDepends: false, callsDepend: true })
  })

  it('derived through a tool: the answer decides which command runs', async () => {
    const bash = called(2, 'bash', { command: 'du Left' }, '4K\tLeft\n')
    const [replay] = await replayed(program("const r = await ASK; const b = await tools.bash({ command: `du ${r.answers[0].selected[0]}` }); return b.stdout.text.split('\\t')[0]", '4K', [LEFT, bash]))
    expect(replay).toMatchObject({ fate: 'derived', assumedResults: true })
  })

  it('delivered through a file: what the program wrote is what it reads, by read, grep or cat', async () => {
    const ini = (line: string): string => `<path>/srv/way.ini</path>\n<type>file</type>\n<content>\n1: [way]\n2: ${line}\n\n(End of file - total 2 lines)\n</content>`
    const edit = called(2, 'edit', { file_path: 'way.ini', old_string: 'to = ?', new_string: 'to = Left' }, '<path>/srv/way.ini</path>\n<type>file</type>\n<content>\nEdited file\n</content>')
    const looks = [
      ["(await tools.read({ file_path: 'way.ini' })).lines.map((l) => l.text).join('\\n')", called(3, 'read', { file_path: 'way.ini' }, ini('to = Left')), '[way]\nto = Left'],
      ["(await tools.grep({ pattern: '^to' })).matches[0].line", called(3, 'grep', { pattern: '^to' }, 'Found 1 match\n\nway.ini\nLine 2: to = Left'), 'to = Left'],
      ["(await tools.bash({ command: 'cat way.ini' })).stdout.text", called(3, 'bash', { command: 'cat way.ini' }, '[way]\nto = Left\n'), '[way]\nto = Left\n'],
    ] as const
    for (const [look, call, text] of looks) {
      const code = `const r = await ASK; await tools.edit({ file_path: 'way.ini', old_string: 'to = ?', new_string: 'to = ' + r.answers[0].selected[0] }); return ${look}`
      expect((await replayed(program(code, text, [LEFT, edit, call])))[0]).toMatchObject({ fate: 'delivered', assumedResults: true })
    }
  })

  it('a step that failed is likely to fail with other arguments, and to name them', async () => {
    const read = called(2, 'read', { file_path: 'conf/Left' }, 'Error: cannot read "/srv/conf/Left": not found', true)
    const [replay] = await replayed(program("const r = await ASK; return await tools.read({ file_path: 'conf/' + r.answers[0].selected[0] })", 'Error: code run failed (exception): ToolCallError: cannot read "/srv/conf/Left": not found', [LEFT, read], true))
    expect(replay).toMatchObject({ fate: 'delivered', assumedResults: true })
  })

  it('a question with other words is answered as it was at that step', async () => {
    const sure = (number: number, way: string, selected: string): NestedCall => called(number, 'ask_user_question', { questions: [{ id: 'sure', question: `Really ${way}?`, options: [{ label: 'yes' }, { label: 'no' }] }] }, JSON.stringify({ answers: [{ id: 'sure', selected: [selected] }] }))
    const code = "let way; do { way = (await ASK).answers[0].selected[0] } while ((await tools.ask_user_question({ questions: [{ id: 'sure', question: `Really ${way}?`, options: [{ label: 'yes' }, { label: 'no' }] }] })).answers[0].selected[0] !== 'yes'); return way"
    const replays = await replayed(program(code, 'Up', [LEFT, sure(2, 'Left', 'no'), asked(3, [{ id: 'way', selected: ['Up'] }]), sure(4, 'Up', 'yes')]))
    expect(replays.map((r) => r.fate)).toEqual(['consumed', 'derived', 'delivered', 'derived'])
  })

  it('tells the items of one form apart', async () => {
    const code = "const r = await tools.ask_user_question({ questions: ['a', 'b'].map((id) => ({ id, question: 'Which way?', options: [{ label: 'Left' }, { label: 'Right' }, { label: 'Up' }] })) }); return r.answers[1].selected[0]"
    const replays = await replayed(program(code, 'Right', [asked(1, [{ id: 'a', selected: ['Left'] }, { id: 'b', selected: ['Right'] }])]))
    expect(replays.map((r) => r.fate)).toEqual(['dropped', 'delivered'])
  })

  it('a dependency on the kind of answer alone is told apart', async () => {
    const [replay] = await replayed(program("const r = await ASK; return r.answers[0].custom ? 'text' : 'label'", 'label'))
    expect(replay).toMatchObject({ fate: 'dropped', outerDepends: false, outerDependsOnKind: true })
  })
})

describe('failed runs', () => {
  it('stack frames and the engine\'s wording do not matter, the captured output does', async () => {
    const text = "Error: code run failed (exception): TypeError: Cannot read properties of undefined (reading 'selected')\n    at eval (x.cjs:1:1)\nCaptured output:\nasked"
    expect((await replayed(program("const r = await ASK; console.log('asked'); return r.answers.way.selected", text, [LEFT], true)))[0]).toMatchObject({ fate: 'dropped' })
    expect(await because(program("const r = await ASK; console.log('other'); return r.answers.way.selected", text, [LEFT], true))).toContain('not the recorded one')
  })

  it('a thrown message with the answer delivers it', async () => {
    const text = 'Error: code run failed (exception): Error: cannot go Left\n    at program:1:1'
    expect((await replayed(program('const r = await ASK; throw new Error(`cannot go ${r.answers[0].selected[0]}`)', text, [LEFT], true)))[0]).toMatchObject({ fate: 'delivered' })
  })

  it('a refused nested call arrives as ToolCallError', async () => {
    const read = called(2, 'read', { file_path: 'x' }, 'Error: cannot read "x": not found', true)
    const [replay] = await replayed(program("const r = await ASK; try { await tools.read({ file_path: 'x' }) } catch (e) { return `${e.name} ${e.toolName}: ${e.message}` }", 'ToolCallError read: cannot read "x": not found', [LEFT, read]))
    expect(replay?.fate).toBe('dropped')
  })

  it('a value that is no lossless JSON', async () => {
    const text = 'Error: code run failed (invalid-output): program completion must be lossless JSON'
    expect((await replayed(program('const r = await ASK; return { way: r.way }', text, [LEFT], true)))[0]?.fate).toBe('dropped')
  })
})

describe('sorting', () => {
  it('goes as in the recording engine, also when the comparator contradicts itself', async () => {
    const items = fc.array(fc.option(fc.nat(99), { nil: undefined }), { maxLength: 63 })
    await fc.assert(fc.asyncProperty(items, fc.array(fc.constantFrom(-1, 0, 1, Number.NaN), { minLength: 1, maxLength: 40 }), fc.constantFrom('sort', 'toSorted'), async (list, orders, method) => {
      const body = `const seen = []
        const list = [${list.map(String).join()}]
        const sorted = list.${method}((a, b) => { seen.push(a + ':' + b); return [${orders.map(String).join()}][seen.length % ${orders.length}] })
        return [list, sorted, seen].map(String).join(' ')`
      const text = String(runInNewContext(`(() => { ${body} })()`))
      expect(await because(program(`await ASK; ${body}`, text))).toBe('valid')
    }), { numRuns: 60 })
  })

  it('keeps holes and long arrays as they are', async () => {
    const body = "const list = [3, , undefined, 1]; const copy = list.toSorted((a, b) => a - b); list.sort((a, b) => a - b); return [Object.keys(list).join(), list.length, Object.keys(copy).join(), Array.from({ length: 200 }, (_, i) => (i * 7) % 200).sort((a, b) => a - b).join()].join(' ')"
    expect(await because(program(`await ASK; ${body}`, `0,1,2 4 0,1,2,3 ${Array.from({ length: 200 }, (_, i) => i).join()}`))).toBe('valid')
  })
})

describe('replay is void', () => {
  it.each([
    ['the recorded text is another one', "await ASK; return 'x'", 'y', 'not the recorded one'],
    ['the calls are others', "await tools.read({ file_path: 'a' }); return 'x'", 'x', 'not the recorded one'],
    ['it uses what the interpreter lacks', "await ASK; return Buffer.from('x').toString()", 'x', 'uses Buffer'],
    ['it reads the environment', 'await ASK; return process.env.HOME', 'x', 'uses process.env'],
    ['it never ends', 'await ASK; for (;;);', 'x', 'works too long'],
    ['it never ends in jobs', 'await ASK; for (;;) await 0', 'x', 'works too long'],
    ['it takes all memory', 'await ASK; let a = \'x\'; for (;;) a += a', 'x', 'than the sealed interpreter has'],
    ['it prints without end', "await ASK; for (;;) console.log('x'.repeat(1000))", 'x', 'prints too much'],
    ['it calls without end', "await ASK; for (;;) tools.bash({ command: 'ls' })", 'x', 'more calls than recorded'],
  ])('%s', async (_, code, text, reason) => {
    expect(await because(program(code, text))).toContain(reason)
  })

  it('a result of unknown structure may be passed on but not looked at', async () => {
    const other = called(2, 'lookup', { a: 1 }, 'rendered text')
    expect(await because(program("await ASK; const x = await tools.lookup({ a: 1 }); return x.b", 'x', [LEFT, other]))).toContain('looks into the result of lookup')
    expect(await because(program("await ASK; const x = await tools.lookup({ a: 1 }); return 'done'", 'done', [LEFT, other]))).toBe('valid')
  })

})

it('a program that would not end with other answers depends on the answer', async () => {
  expect((await replayed(program("const r = await ASK; while (r.answers[0].selected[0] !== 'Left'); return 'x'", 'x')))[0]).toMatchObject({ fate: 'derived', outerDepends: true })
})

it('an item is not judged where other answers lead into what the log does not tell', async () => {
  const verdict = await analyser.analyse(program("const r = await ASK; const x = r.answers[0].selected[0] === 'Left' ? '' : (await tools.lookup({ a: 1 })).text; return 'x' + x", 'x'))
  expect(verdict).toMatchObject({ replay: { valid: true }, items: [{ replay: null }] })
})

describe('the sealed interpreter', () => {
  it.each([
    "Array.prototype.push = null; Promise.prototype.then = null; JSON.stringify = null; Object.prototype.toString = null; return 'ok'",
    "Object.defineProperty(Object.prototype, 'x', { get() { throw 1 } }); return 'ok'",
    "globalThis.tools = globalThis.console = null; return 'ok'",
    "return typeof tools.constructor('return this')().globalThis === 'undefined' ? 'ok' : 'no'",
  ])('a program that overrides built-ins only spoils itself: %s', async (code) => {
    await analyser.analyse(program(`await ASK; ${code}`, 'ok'))
    expect(await because(program("await ASK; return 'ok'", 'ok'))).toBe('valid')
  })

  it('has no more memory after a run that took all of it', async () => {
    const endless = program('await ASK; const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})', 'x')
    const hungry = program('await ASK; const a = []; for (;;) a.push(new Uint8Array(1e6))', 'x')
    const verdicts = []
    for (const before of [[], [hungry]]) {
      const fresh = createProgramAnalyser({ replay: true })
      for (const other of before) await fresh.analyse(other)
      verdicts.push((await fresh.analyse(endless)).replay)
      await fresh.close()
    }
    expect(verdicts[1]).toEqual(verdicts[0])
  }, 60_000)

  it('starts again after a rest, and does not rest from work', async () => {
    const fresh = createProgramAnalyser({ replay: true })
    const atWork = fresh.analyse(program("await ASK; return 'ok'", 'ok'))
    await new Promise((parsed) => setImmediate(parsed))
    await fresh.rest()
    const first = await atWork
    expect(first.replay.valid).toBe(true)
    await fresh.rest()
    expect(await fresh.analyse(program("await ASK; return 'ok'", 'ok'))).toEqual(first)
    await fresh.close()
  })

  it('has its own clock: nothing waits', async () => {
    expect(await because(program("await ASK; const t = Date.now(); await new Promise((r) => setTimeout(r, 3_600_000)); return String((Date.now() - t) / 60_000)", '60'))).toBe('valid')
  })

  it('prints as the harness does: inspect to a depth of 4, no % formats', async () => {
    const values = "[new Foo(), '%s', Foo, [undefined, 1n, -0, null], { a: { b: { c: { d: { e: { f: 1 } } } } } }, () => {}, new Map([[{ k: 1 }, new Set(['v'])]]), [new Date(0), /x/g], { get x() { return 1 } }, 'it\\'s', ['it\\'s']]"
    const source = `class Foo { m = new Map([['a', [1, { b: { c: {} } }]]]) }; const shown = ${values};`
    // oxlint-disable-next-line typescript/no-implied-eval -- one text for both sides
    const shown: unknown = new Function(`${source} return shown`)()
    const text = Array.isArray(shown) ? shown.map((v) => (typeof v === 'string' ? v : inspect(v, { depth: 4 }))).join(' ') : ''
    expect(await because(program(`await ASK; ${source} console.log(...shown)`, text))).toBe('valid')
  })
})

describe('spilled results', () => {
  it('the recorded text is compared with head and tail', async () => {
    const whole = `${'x'.repeat(50)}Left${'y'.repeat(50)}`
    const input = program("const r = await ASK; return 'x'.repeat(50) + r.answers[0].selected[0] + 'y'.repeat(50)", '')
    const verdict = await analyser.analyse({ ...input, outer: { isError: false, text: 'x'.repeat(40) + 'y'.repeat(40), omittedBytes: 24 } })
    expect(verdict.replay).toEqual({ valid: true, outerText: whole })
    expect(verdict.items[0]?.replay?.outerDepends).toBe(true)
  })
})

it('the harness\'s sandbox lines after the text are not the program\'s', async () => {
  expect(await because(program("await ASK; return 'x'", 'x\nThe workspace-write file sandbox denied an operation.\nAsk for more.'))).toBe('valid')
})

it('gives the same verdict twice', async () => {
  const input = program("const r = await ASK; return Math.random() < 2 ? r : ''", '{\n  "answers": [\n    {\n      "id": "way",\n      "selected": [\n        "Left"\n      ]\n    }\n  ]\n}')
  expect(await analyser.analyse(input)).toEqual(await analyser.analyse(input))
})
