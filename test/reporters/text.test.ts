import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { PrintOptions } from '../../src/reporters/index.ts'
import { text } from '../../src/reporters/text/index.ts'
import { answer, delivered, finding, hostileSession, report, round, session, stuckSession } from '../support/report.ts'

const PLAIN: PrintOptions = { color: false, unicode: true, width: 100, verbosity: 'normal' }
const VERBOSE: PrintOptions = { ...PLAIN, verbosity: 'verbose' }
const QUIET: PrintOptions = { ...PLAIN, verbosity: 'quiet' }

const stuck = report([stuckSession()])
const lines = (printed: string) => printed.split('\n')

describe('verdict line', () => {
  test('comes first and says what is wrong', () => {
    expect(lines(text(stuck, PLAIN))[0]).toMatch(/^SICK +session-80f183cd {2}2 answers never reached the model; 35 of 62 goal rounds spun idle$/)
  })
  test('a healthy log says what was checked', () => {
    expect(lines(text(report([session()]), PLAIN))[0]).toMatch(/^HEALTHY +session-e311575b {2}3 answers delivered, 9 rounds progressed; checked 3 rules$/)
  })
  test('an answer that no rule objects to is not called delivered', () => {
    const printed = text(report([session({ answers: [delivered('port'), answer({ state: 'consumed' })] })]), QUIET)
    expect(printed).toContain('1 of 2 answers delivered')
  })
  test('without lost answers or idle rounds the worst finding speaks', () => {
    const findings = [finding({ rule: 'slow-answer', severity: 'info', text: 'Slow.' }), finding({ id: 'f2', rule: 'torn-log', severity: 'warning', text: 'The log is torn.' })]
    expect(text(report([session({ verdict: 'suspect', findings })]), QUIET)).toMatch(/^SUSPECT .*The log is torn\.\n$/)
  })
  test('quiet prints nothing else', () => {
    expect(lines(text(stuck, QUIET))).toHaveLength(2)
  })
})

test('sections go from what happened to the details', () => {
  const printed = text(report([{ ...stuckSession(), issues: hostileSession().issues }]), PLAIN)
  const places = ['WHAT HAPPENED', 'ANSWERS', 'GOAL ROUNDS', 'WARNINGS', 'NOTES', 'TROUBLE IN THE LOG (1)', '1 rule not evaluated'].map((title) => printed.indexOf(`\n${title}`))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(places).not.toContain(-1)
})

describe('incident', () => {
  test('names the turn, the cost and the actions in order', () => {
    const printed = text(stuck, PLAIN)
    expect(printed).toContain('seq 169  round 1')
    expect(printed).toContain('35 rounds, 35 min 35 s, 735k tokens in, 22.4k out')
    expect(printed.indexOf('1. Return the value')).toBeLessThan(printed.indexOf('2. Set the goal'))
  })
  test('the story is one line per link, in order, and cut to its beginning', () => {
    const chain = Array.from({ length: 20 }, (_, i) => ({ finding: `f${i + 1}`, seq: 100 + i, toSeq: i === 1 ? 180 : null, line: 101 + i, turn: 1, round: null, text: `link ${i + 1}` }))
    const incidents = [{ headline: 'h', causes: ['f1'], effects: [], chain, inflection: { turn: 1, seq: 100 }, cost: { rounds: 0, ms: 0, inputTokens: 0, outputTokens: 0 }, actions: [] }]
    const printed = text(report([session({ incidents })]), PLAIN)
    expect(printed).toMatch(/seq 100 {2}turn 1\s+link 1\n\s+seq 101–180\s+link 2\n/)
    expect(printed).toContain('… and 8 more (--verbose)')
    expect(printed).not.toContain('link 13')
  })
  test('its findings are not told twice, unless everything is asked for', () => {
    expect(text(stuck, PLAIN)).not.toContain('\nERRORS')
    expect(text(stuck, VERBOSE)).toContain('\nERRORS')
  })
})

describe('answers', () => {
  test('a dropped one shows its layers side by side, and the fix', () => {
    const printed = text(stuck, PLAIN)
    for (const part of ['dropped · proven', 'asked        seq 167, turn 1 step 2 round 1', 'receipt      seq 168 after 1.2 s, "Postgres"', 'neither returns nor logs it', 'outer        seq 169, not there', '- return "asked"', '+ return await tools.ask_user_question({ questions })']) {
      expect(printed).toContain(part)
    }
  })
  test('a delivered one is one line, unless everything is asked for', () => {
    const one = report([session({ answers: [delivered('port')] })])
    expect(text(one, PLAIN)).toMatch(/port {2}"Which port\?" +delivered · proven\n\n/)
    expect(text(one, PLAIN)).not.toContain('receipt')
    expect(text(one, VERBOSE)).toContain('receipt')
  })
  test('an unanswered one says why', () => {
    const open = answer({ state: 'unanswered', reason: 'aborted', cause: 'deadline', values: [], fix: null })
    expect(text(report([session({ answers: [open] })]), PLAIN)).toContain('no answer: aborted (deadline)')
  })
  test('many are counted, not printed', () => {
    const answers = Array.from({ length: 30 }, (_, i) => answer({ questionId: `q${i}` }))
    expect(text(report([session({ answers })]), PLAIN)).toContain('… and 22 more (--verbose)')
    expect(text(report([session({ answers })]), VERBOSE)).toContain('q29')
  })
})

describe('bar of rounds', () => {
  const bar = (printed: string) => lines(printed).filter((line) => /^ +\d+ {2}[▮▯·# _.]+$/.test(line))
  test('one mark per round', () => {
    const marks = bar(text(stuck, PLAIN)).join('')
    const occurrences = (mark: string) => marks.split(mark).length - 1
    expect(occurrences('▯')).toBe(35)
    expect(occurrences('▮')).toBe(25)
    expect(occurrences('·')).toBe(2)
  })
  test('wraps and numbers its lines', () => {
    const rounds = Array.from({ length: 200 }, (_, i) => round(i + 1))
    const wrapped = bar(text(report([session({ rounds })]), PLAIN))
    expect(wrapped.map((line) => line.trim().split(' ')[0])).toEqual(['1', '81', '161'])
  })
  test('inherited rounds are left out', () => {
    expect(bar(text(report([session({ rounds: [round(1, { inherited: true }), round(2)] })]), PLAIN))).toEqual(['     2  ▮'])
  })
  test('kinds of idle rounds are counted', () => {
    expect(text(stuck, PLAIN)).toContain('▯ 35 idle: 23 replay, 12 talk-only')
  })
})

describe('several sessions', () => {
  const several = report([session(), stuckSession()], [{ source: 'x.jsonl', code: 'not-found', text: 'there is no such file', rule: null }])
  test('a table comes first, healthy ones are only in it', () => {
    const printed = lines(text(several, PLAIN))
    expect(printed[0]).toMatch(/^SICK +2 sessions: 1 sick, 1 healthy, 1 not analysed$/)
    expect(printed.filter((line) => line.includes('session-e311575b'))).toHaveLength(1)
    expect(printed.find((line) => line.includes('session-80f183cd'))).toMatch(/sick .* 2\/3 +35\/62 +3\/1 +runs\/stuck/)
  })
  test('what could not be analysed is named', () => {
    expect(text(several, QUIET)).toMatch(/UNREADABLE +x\.jsonl\n +there is no such file\n/)
  })
})

test('a rule that threw makes the verdict incomplete', () => {
  expect(text(report([session()], [{ source: 's.jsonl', code: 'rule-threw', text: 'idle-rounds: boom', rule: 'idle-rounds' }]), PLAIN)).toMatch(/INCOMPLETE +s\.jsonl\n +a rule failed: idle-rounds: boom/)
})

describe('safe on any terminal', () => {
  const everything = report([hostileSession(), stuckSession()])
  test('no line is wider than the page', () => {
    for (const options of [PLAIN, VERBOSE, QUIET]) {
      for (const width of [60, 72, 100, 300]) {
        const wide = lines(text(everything, { ...options, width })).filter((line) => stringWidth(line) > Math.min(width, 100))
        expect(wide).toEqual([])
      }
    }
  })
  test('no line is wider than the page whatever a log says', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 60 }), (long, id) => {
      const hostile = session({ verdict: 'sick', source: long, id, answers: [answer({ questionId: id, question: long, values: [long], evidence: [{ kind: 'literal', text: long }] })], findings: [finding({ text: long, fix: long })] })
      return lines(text(report([hostile]), VERBOSE)).every((line) => stringWidth(line) <= 100)
    }), { numRuns: 50 })
  })
  test('no escape or control of a log is printed', () => {
    expect(text(everything, VERBOSE)).not.toMatch(/(?!\n)\p{Cc}|\u202e/u)
  })
  test('colour only when asked for, and colour changes nothing else', () => {
    const colored = text(stuck, { ...PLAIN, color: true })
    expect(colored).toContain('\u001b[')
    // oxlint-disable-next-line no-control-regex -- colours are what it looks for
    expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(text(stuck, PLAIN))
  })
  test('without Unicode the marks are ASCII', () => {
    // oxlint-disable-next-line no-control-regex -- the range of ASCII
    expect(text(report([stuckSession(), session()]), { ...PLAIN, unicode: false })).toMatch(/^[\u0000-\u007f]*$/)
  })
})
