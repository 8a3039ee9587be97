import { marked } from 'marked'
import { expect, test } from 'vitest'
import { markdown } from '../../src/reporters/markdown.ts'
import { hostileReport } from '../support/hostile.ts'
import { finding, report, session, stuckSession } from '../support/report.ts'

test('verdict first, then a row per session, the worst first, then what happened and what to do', () => {
  const out = markdown(report([session(), stuckSession()]))
  expect(out.split('\n')[0]).toBe('## inquest: sick')
  const html = marked(out)
  expect(html.match(/<tr>\n<td>\w+/g)).toEqual(['<tr>\n<td>sick', '<tr>\n<td>healthy'])
  expect(html).toContain('<strong>Two answers of the human never reached the model')
  expect(html).toContain('<li>Set the goal to blocked while a decision is missing.</li>')
})

test('says whether the check passed', () => {
  const check = { failOn: 'error' as const, pruneCheck: false, limits: [], assertions: [], stale: [], passed: true }
  expect(markdown({ ...report([session()]), check })).toMatch(/^## inquest: healthy, passed\n/)
})

test('hostile text makes no markup, link, cell or mention', () => {
  const out = markdown(hostileReport())
  const html = marked(out)
  const tags = new Set(html.match(/<\/?[a-z][^>]*>/g)?.map((tag) => tag.replace(/ align="right"/, '')))
  const own = ['h2', 'h3', 'p', 'ul', 'ol', 'li', 'strong', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary'].flatMap((t) => [`<${t}>`, `</${t}>`])
  expect([...tags].filter((tag) => !own.includes(tag))).toEqual([])
  expect(html.match(/<td/g)).toHaveLength(7)
  expect(out).not.toContain('@')
})

test('a very large run stays under the limit of a job summary, and says what it leaves out', () => {
  const text = '名@'.repeat(400)
  const big = session({ source: text, findings: Array.from({ length: 30 }, (_, i) => finding({ id: `f${i}`, text, fix: text })), verdict: 'sick' })
  const out = markdown(report(Array.from({ length: 120 }, () => big)))
  expect(Buffer.byteLength(out)).toBeLessThan(1024 * 1024)
  expect(out).toMatch(/Left out for their length: \d+ sessions\.\n$/)
})
