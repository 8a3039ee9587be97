import { SaxesParser } from 'saxes'
import { expect, test } from 'vitest'
import { junit } from '../../src/reporters/junit.ts'
import { hostileReport } from '../support/hostile.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

interface Node { readonly tag: string; readonly attributes: Record<string, string>; readonly children: Node[]; text: string }

/** A strict parser: it throws on anything that is not well-formed XML 1.0. */
function parse(xml: string): Node {
  const root: Node = { tag: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => { throw error })
  parser.on('opentag', ({ name, attributes }) => {
    const node = { tag: name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(node)
    open.push(node)
  })
  parser.on('text', (text) => { const last = open.at(-1); if (last) last.text += text })
  parser.on('closetag', () => { open.pop() })
  parser.write(xml).close()
  const [top] = root.children
  if (top === undefined) throw new Error('no root element')
  return top
}

function all(node: Node, tag: string): Node[] {
  return [...(node.tag === tag ? [node] : []), ...node.children.flatMap((child) => all(child, tag))]
}

test('one suite per session, one case per checked rule, and the counts agree', () => {
  const xml = parse(junit(report([session(), stuckSession()])))
  expect(xml.attributes).toMatchObject({ tests: '6', failures: '2', errors: '0', skipped: '0' })
  expect(xml.children.map((s) => [s.attributes['name'], s.attributes['tests'], s.attributes['failures']])).toEqual([['runs/healthy/session.jsonl', '3', '0'], ['runs/stuck/session.jsonl', '3', '2']])
  expect(all(xml, 'testcase').length).toBe(6)
})

test('several findings of a rule are one failure that tells all of them', () => {
  const [dropped] = all(parse(junit(report([stuckSession()]))), 'failure')
  expect(dropped?.attributes['message']).toBe('2 findings: The answer "Postgres" to "storage" reached the program and nobody else.')
  expect(dropped?.text).toContain('"eu-west"')
  expect(dropped?.text).toContain('seq 169, turn 1, step 2, line 170; error, proven')
})

test('what --fail-on lets pass is output, what was not evaluated is skipped', () => {
  const quiet = session({ checked: ['slow-answer', 'absent-repeat-guard'], findings: [finding({ rule: 'slow-answer', severity: 'info' })] })
  const xml = parse(junit(report([quiet])))
  expect(xml.attributes).toMatchObject({ failures: '0', skipped: '1' })
  expect(all(xml, 'system-out')).toHaveLength(1)
  const strict = { ...report([quiet]), check: { failOn: 'info' as const, pruneCheck: false, limits: [], assertions: [], stale: [], passed: false } }
  expect(parse(junit(strict)).attributes['failures']).toBe('1')
})

test('an unreadable log is an error of its own suite', () => {
  const xml = parse(junit(report([session()], [{ source: 'x.jsonl', code: 'not-a-log', text: 'no header', rule: null }])))
  expect(xml.attributes['errors']).toBe('1')
  expect(all(xml, 'error')[0]?.attributes).toEqual({ type: 'not-a-log', message: 'no header' })
})

test('hostile text stays text', () => {
  const xml = parse(junit(hostileReport()))
  expect(xml.attributes).toMatchObject({ failures: '4', errors: '1', skipped: '1' })
  expect(all(xml, 'failure')[0]?.text).toContain(']]> %0A::error::no')
  expect(all(xml, 'img')).toEqual([])
})

test('a time that is no date is left out', () => {
  const odd = session({ span: { fromSeq: 0, toSeq: 1, startedAt: 1e300, endedAt: 1e300, openTail: false } })
  expect(parse(junit(report([odd]))).children[0]?.attributes['timestamp']).toBeUndefined()
})
