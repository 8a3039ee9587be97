import { expect, test } from 'vitest'
import { github } from '../../src/reporters/github.ts'
import { hostileReport } from '../support/hostile.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

interface Command { readonly name: string; readonly properties: Record<string, string>; readonly message: string }

/** As the runner reads a line: `::name key=value,key=value::message`, each part unescaped by its own table. */
function parse(line: string): Command {
  const match = /^::([a-z-]+)(?: ([^:]*))?::(.*)$/.exec(line)
  if (match === null) throw new Error(`no workflow command: ${line}`)
  const [, name = '', properties = '', message = ''] = match
  const unescape = (text: string) => text.replace(/%(0D|0A|3A|2C|25)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return {
    name, message: message.replace(/%(0D|0A|25)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    properties: Object.fromEntries(properties.split(',').map((p) => { const [key = '', ...value] = p.split('='); return [key, unescape(value.join('='))] })),
  }
}

function commands(text: string): Command[] {
  return text.split('\n').slice(0, -1).map(parse)
}

test('the worst come first, with file, line and rule', () => {
  const out = commands(github(report([session(), stuckSession()])))
  expect(out.map((c) => c.name)).toEqual(['error', 'error', 'error', 'warning', 'notice'])
  expect(out[0]).toEqual({
    name: 'error', properties: { file: 'runs/stuck/session.jsonl', line: '170', title: 'dropped-answer' },
    message: 'The answer "Postgres" to "storage" reached the program and nobody else. (seq 169, turn 1, step 2; proven)\nWhat to do: Return the value of ask_user_question from the program.',
  })
})

test('a compressed log is annotated without a line, standard input without a file', () => {
  const of = (source: string) => commands(github(report([session({ source, findings: [finding()] })])))[0]?.properties
  expect(of('a/session.jsonl.zstd')).toEqual({ file: 'a/session.jsonl.zstd', title: 'dropped-answer' })
  expect(of('-')).toEqual({ title: 'dropped-answer' })
})

test('hostile text makes no line, property or command of its own', () => {
  const out = commands(github(hostileReport()))
  expect(out.map((c) => c.name)).toEqual(['error', 'error', 'error', 'error', 'error', 'notice'])
  for (const { properties } of out) expect(Object.keys(properties).every((key) => ['file', 'line', 'title'].includes(key))).toBe(true)
  expect(out[4]?.properties['file']).toContain('a,b:c')
  expect(out[4]?.message).toContain('%0A::error::no')
})

test('nothing found, nothing said', () => {
  expect(github(report([session()]))).toBe('')
})
