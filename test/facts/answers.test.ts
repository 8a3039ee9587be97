import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { AnswerFact } from '../../src/facts/answers.ts'
import type { ItemReplay, ProgramAnalyser } from '../../src/programs/index.ts'
import { answers as answersOf, fail, log, question, spilled, type CallWriter, type Format, type Log, type Turn } from '../support/log.ts'
import { analyserSaying, callsWith, fact, flow, UNKNOWN } from '../support/rules.ts'

const DB = question('db', 'Which database?', ['Postgres', 'SQLite', 'DuckDB'])
const NOTE = question('note', 'Anything to add?')
const CODE = 'const r = await tools.ask_user_question({ questions }); return "asked"'
const RETURNED = analyserSaying({ flow: flow({ returns: 'value' }) })
const UNUSED = analyserSaying({ flow: flow() })
const WRITTEN = analyserSaying({ flow: flow({ calls: callsWith('value') }) })

async function judge(l: Log, programs: ProgramAnalyser = UNKNOWN): Promise<readonly AnswerFact[]> {
  return fact(l, 'answers', programs)
}

/** One program that asks for the database, gets Postgres and does the rest. */
function asking(body: (p: CallWriter) => unknown, format: Format = 4): Log {
  return log({ format }).user('Set it up', (t) => t.program(CODE, (p) => body(p.ask([DB], { db: 'Postgres' }))).says('Done.'))
}

async function stateOf(l: Log, programs: ProgramAnalyser = UNKNOWN): Promise<string | undefined> {
  return (await judge(l, programs))[0]?.state
}

function replay(over: Partial<ItemReplay>, how: ReturnType<typeof flow> | null = null): ProgramAnalyser {
  return analyserSaying({
    flow: how,
    replay: {
      fate: 'dropped', outerDepends: false, callsDepend: false, valuesLiteral: [false], outerDependsOnKind: false, callsDependOnKind: false,
      fixedTexts: false, assumedResults: false, runs: 6, ...over,
    },
  })
}

describe('an answer that a program stored in a file', () => {
  const stored = (content: string, later: (t: Turn) => unknown): Log => log()
    .user('Set it up', (t) => t.program(CODE, (p) => p.ask([question('db', 'Which database?', ['Postgres', 'SQLite'])], { db: 'Postgres' }).dispatch('write', { file_path: 'notes/log.md', content }, 'written').returns('asked')).says('Done.'))
    .user('And?', later)

  it('is late when a line of the file shows it, next to lines with other labels', async () => {
    const text = '# Log\n- SQLite is slow\n- use Postgres'
    const l = log()
      .user('Set it up', (t) => t.program(CODE, (p) => p.dispatch('read', { file_path: 'notes/log.md' }, '# Log\n- SQLite is slow')
        .ask([question('db', 'Which database?', ['Postgres', 'SQLite'])], { db: 'Postgres' }).dispatch('write', { file_path: 'notes/log.md', content: text }, 'written').returns('asked')).says('Done.'))
      .user('And?', (t) => t.call('read', { file_path: 'notes/log.md' }, text))
    expect(await stateOf(l, WRITTEN)).toBe('late')
  })
  it('is not late when the file lists all labels', async () => {
    const text = 'Postgres: true\nSQLite: false'
    expect(await stateOf(stored(text, (t) => t.call('read', { file_path: 'notes/log.md' }, text)), WRITTEN)).toBe('consumed')
  })
  it('is not late when another file has it', async () => {
    expect(await stateOf(stored('use Postgres', (t) => t.call('read', { file_path: 'history.md' }, '2019: Postgres 9 goes away')), WRITTEN)).toBe('consumed')
    expect(await stateOf(stored('use Postgres', (t) => t.call('bash', { command: 'make show' }, 'db: Postgres')), WRITTEN)).toBe('late')
  })
})

describe('an answer to a nested question', () => {
  it('is delivered when a later call was given it and another one shows it', async () => {
    const l = asking((p) => p.dispatch('write', { file_path: 'db.txt', content: 'Postgres' }, 'written').dispatch('read', { file_path: 'db.txt' }, '1: Postgres').returns('Postgres'))
    expect((await judge(l, WRITTEN))[0]).toMatchObject({ state: 'delivered', certainty: 'possible' })
    const listed = asking((p) => p.dispatch('write', { file_path: 'db.txt', content: 'Postgres' }, 'written').returns('Postgres, SQLite or DuckDB'))
    expect(await stateOf(listed, WRITTEN)).toBe('consumed')
  })

  it.each([0, 2, 3, 4] as const)('is delivered when the result carries it (format %i)', async (format) => {
    const l = asking((p) => p.returns({ answers: [{ id: 'db', selected: ['Postgres'] }] }), format)
    const [a] = await judge(l, RETURNED)
    expect(a).toMatchObject({ state: 'delivered', certainty: 'likely', values: ['Postgres'], deliveredSeq: l.seqs('tool/result')[0] })
    expect(a?.layers).toMatchObject({ receipt: { has: true }, program: { returns: true, logs: false }, outer: { has: true } })
  })

  it.each([0, 3, 4] as const)('is dropped when nothing depends on it (format %i)', async (format) => {
    const [a] = await judge(asking((p) => p.returns('asked'), format), UNUSED)
    expect(a).toMatchObject({ state: 'dropped', certainty: 'proven', deliveredSeq: null })
  })

  it('is dropped although the program echoes all labels, the chosen one too', async () => {
    expect(await stateOf(asking((p) => p.returns('Options: Postgres, SQLite, DuckDB')), UNUSED)).toBe('dropped')
    expect(await stateOf(asking((p) => p.returns('Options: Postgres, SQLite, DuckDB')))).toBe('dropped')
  })

  it('is delivered when the chosen label stands once more than the echoed ones', async () => {
    expect(await stateOf(asking((p) => p.prints('Options: Postgres, SQLite, DuckDB').returns('Postgres')))).toBe('delivered')
  })

  it('is derived when the result depends on it without holding it', async () => {
    expect(await stateOf(asking((p) => p.returns('port 5432')), RETURNED)).toBe('derived')
  })

  it('is consumed when only later calls depend on it', async () => {
    const l = asking((p) => p.dispatch('write', { file_path: 'db.txt', content: 'Postgres' }, 'ok').returns('written'))
    expect(await judge(l, WRITTEN)).toMatchObject([{ state: 'consumed', certainty: 'likely' }])
    expect(await judge(l)).toMatchObject([{ state: 'consumed', certainty: 'possible' }])
  })

  it('is dropped for certain when the program puts nothing out', async () => {
    expect(await judge(asking(() => undefined))).toMatchObject([{ state: 'dropped', certainty: 'proven', evidence: [{ kind: 'fixed-point' }] }])
  })

  it('is only possibly dropped when the program could not be analysed', async () => {
    expect(await judge(asking((p) => p.returns('port 5432')))).toMatchObject([{ state: 'dropped', certainty: 'possible' }])
  })

  it('counts lines of the harness about the sandbox as no output', async () => {
    const l = asking((p) => p.returns('The workspace-write file sandbox denied an operation. Ask for more.'))
    expect(await judge(l)).toMatchObject([{ state: 'dropped', evidence: [{ kind: 'fixed-point' }] }])
  })

  it('is judged by replay first, whatever the text looks like', async () => {
    const l = asking((p) => p.returns('Postgres'))
    expect(await judge(l, replay({}))).toMatchObject([{ state: 'dropped', certainty: 'proven' }])
    expect(await judge(l, replay({ fate: 'delivered', outerDepends: true, valuesLiteral: [true] }))).toMatchObject([{ state: 'delivered', certainty: 'proven' }])
    expect(await judge(l, replay({ outerDependsOnKind: true }))).toMatchObject([{ state: 'dropped', certainty: 'likely' }])
  })

  it('is partial when one of its values is missing', async () => {
    const features = question('f', 'Which features?', ['search', 'export', 'audit'], { multi_select: true })
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([features], { f: ['search', 'export'] }).returns(['search'])))
    expect(await judge(l, RETURNED)).toMatchObject([{ state: 'partial', values: ['search', 'export'] }])
  })

  it('is judged item by item in a form, also with equal ids', async () => {
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([DB, NOTE, DB], { db: 'SQLite' }).returns({ db: 'SQLite' })))
    const facts = await judge(l, RETURNED)
    expect(facts.map((a) => [a.question.id, a.state])).toEqual([['db', 'delivered'], ['note', 'skipped'], ['db', 'delivered']])
  })

  it('is no echo when the other labels stand there as answers of other items', async () => {
    const [a, b] = [question('dev', 'Owner of dev?', ['Ann', 'Bob']), question('prod', 'Owner of prod?', ['Ann', 'Bob'])]
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([a, b], { dev: 'Bob', prod: 'Ann' }).returns('dev: Bob, prod: Ann')))
    expect((await judge(l)).map((x) => x.state)).toEqual(['delivered', 'delivered'])
  })

  it('is found in an inspected object with a text of several lines', async () => {
    const text = 'keep the old one,\nit\'s "fine" until the spring release is out of the door'
    const l = log().user('go', (t) => t.program(CODE, (p) => p.ask([NOTE], { note: text }).prints(inspect(answersOf([NOTE], { note: text }), { depth: 9 }))))
    expect(await stateOf(l, RETURNED)).toBe('delivered')
  })
})

describe('an answer in a failed run', () => {
  it.each(['exception', 'timeout', 'abort', 'output-limit'])('is lost (%s)', async (kind) => {
    expect(await judge(asking((p) => p.fails(kind, 'it broke')))).toMatchObject([{ state: 'lost', reason: kind, deliveredSeq: null }])
  })

  it('is delivered when the captured output has it, and lost when that is only the list of all labels', async () => {
    expect(await stateOf(asking((p) => p.prints('chosen: Postgres').fails('exception', 'Error: disk full')))).toBe('delivered')
    expect(await stateOf(asking((p) => p.prints('Postgres SQLite DuckDB').fails('exception', 'Error: disk full')))).toBe('lost')
  })

  it('is derived when the captured output tells of it in other words, and lost when the failure only happens because of it', async () => {
    const l = asking((p) => p.prints('port 5432').fails('exception', 'Error: disk full'))
    const varied = (how: ReturnType<typeof flow>): ProgramAnalyser => replay({ fate: 'derived', outerDepends: true }, how)
    expect(await stateOf(l, varied(flow({ logs: 'value' })))).toBe('derived')
    expect(await stateOf(l, varied(flow({ throws: 'choice' })))).toBe('lost')
  })

  it('is lost when the process ended, or when the log ends before the run', async () => {
    const open = (): Log => log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).open()))
    expect(await judge(open())).toMatchObject([{ state: 'lost', reason: 'pending' }])
    expect(await judge(open().resume())).toMatchObject([{ state: 'lost', reason: 'interrupted' }])
  })
})

describe('an answer on the surface', () => {
  const long = `${'a'.repeat(5000)} Postgres ${'b'.repeat(5000)}`
  const returning = (): Log => log().user('go', (t) => t.program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).returns(long)))

  it('is truncated when the pruner cut it out before the next request', async () => {
    const l = returning()
    l.prune(l.seqs('tool/result')[0] ?? 0, `${'a'.repeat(4096)}\n\n[... tool result middle pruned ...]\n\n${'b'.repeat(1024)}`).user('and?', (t) => t.says('Hm.'))
    expect(await judge(l, RETURNED)).toMatchObject([{ state: 'truncated', deliveredSeq: null }])
  })

  it('stays delivered when it was pruned only after the model had read it', async () => {
    const l = returning().user('and?', (t) => t.says('Postgres it is.'))
    l.prune(l.seqs('tool/result')[0] ?? 0, '[... tool result middle pruned ...]').user('and?', (t) => t.says('Hm.'))
    expect(await stateOf(l, RETURNED)).toBe('delivered')
  })

  it('is evicted when a compaction came before the next request, and not when it came after', async () => {
    expect(await judge(returning().compact('work goes on').user('and?', (t) => t.says('Hm.')), RETURNED)).toMatchObject([{ state: 'evicted' }])
    expect(await stateOf(returning().user('and?', (t) => t.says('Postgres it is.')).compact('work goes on'), RETURNED)).toBe('delivered')
  })

  it('stays delivered when the log ends right after it', async () => {
    expect(await stateOf(returning(), RETURNED)).toBe('delivered')
  })

  it('is truncated when the result was spilled and can only stand in the part that was left out', async () => {
    const l = asking((p) => p.returns(spilled('head of the output', 90_000)))
    expect(await stateOf(l, RETURNED)).toBe('truncated')
    expect(await stateOf(l, UNUSED)).toBe('dropped')
  })

  it('is delivered when it stands in the head of a spilled result', async () => {
    expect(await stateOf(asking((p) => p.returns(spilled('db: Postgres', 90_000))), RETURNED)).toBe('delivered')
  })
})

describe('a late answer', () => {
  const dropped = (): Log => asking((p) => p.returns('asked'))

  it('is one that the human says again, at the row of the message', async () => {
    const l = dropped().user('I said Postgres, did I not?', (t) => t.says('Sorry.'))
    expect(await judge(l, UNUSED)).toMatchObject([{ state: 'late', deliveredSeq: l.seqs('user/message').at(-1) }])
  })

  it('is not told from a message that lists all the labels, from the assistant, or from a longer word', async () => {
    expect(await stateOf(dropped().user('Ask again: Postgres, SQLite or DuckDB', (t) => t.says('Ok.')), UNUSED)).toBe('dropped')
    expect(await stateOf(dropped().user('Go on', (t) => t.says('I take Postgres.')), UNUSED)).toBe('dropped')
    expect(await stateOf(dropped().user('Upgrade Postgres15', (t) => t.says('Ok.')), UNUSED)).toBe('dropped')
  })

  it('is one that a later program reads back after the first had stored it', async () => {
    const l = log().user('go', (t) => t
      .program(CODE, (p) => p.ask([DB], { db: 'Postgres' }).dispatch('write', { file_path: 'd.md', content: 'db: Postgres' }).returns('stored'))
      .call('read', { file_path: 'd.md' }, '1: db: Postgres').says('Postgres it is.'))
    expect(await judge(l, WRITTEN)).toMatchObject([{ state: 'late', deliveredSeq: l.seqs('tool/result')[1] }])
  })

  it('is none when nothing left the program, when all labels come back, or when the later call brought the value along', async () => {
    const then = (name: string, args: unknown, result: string, written = true): Log => log().user('go', (t) => t
      .program(CODE, (p) => (written ? p.ask([DB], { db: 'Postgres' }).dispatch('write', { file_path: 'd.md', content: 'db: Postgres' }) : p.ask([DB], { db: 'Postgres' })).returns('stored'))
      .call(name, args, result).says('Ok.'))
    expect(await stateOf(then('read', { file_path: 'x' }, 'db: Postgres', false), UNUSED)).toBe('dropped')
    expect(await stateOf(then('read', { file_path: 'x' }, 'Postgres SQLite DuckDB'), WRITTEN)).toBe('consumed')
    expect(await stateOf(then('grep', { pattern: 'Postgres' }, 'd.md: Postgres'), WRITTEN)).toBe('consumed')
  })

  it('is the reply to a timed question whose window was over; without a reply the question is pending', async () => {
    const timed = (replied: boolean): Log => log().user('go', (t) => {
      let subCallId = ''
      t.program(CODE, (p) => {
        subCallId = `${p.callId}:ptc:1`
        p.dispatch('ask_user_question', { questions: [DB] }, { pending: true, callId: subCallId, message: 'still open' }).returns('asked')
      })
      const reply = { kind: 'answer_to_pending_question', callId: subCallId, answers: [{ id: 'db', selected: ['SQLite'] }] }
      if (replied) t.queue({ kind: 'user-question-reply', callId: subCallId, outcome: 'answered' }, JSON.stringify(reply))
      t.says('Thanks.')
    })
    const l = timed(true)
    expect(await judge(l, UNUSED)).toMatchObject([{ state: 'late', values: ['SQLite'], deliveredSeq: l.seqs('user/message').at(-1) }])
    expect(await judge(timed(false), UNUSED)).toMatchObject([{ state: 'unanswered', reason: 'pending' }])
  })
})

describe('no answer', () => {
  const ending = (failure: ReturnType<typeof fail>, body: (p: CallWriter) => unknown, ms = 60_000): Log =>
    log({ format: 0 }).user('go', (t) => t.program(CODE, (p) => body(p.ask([DB], failure, ms))).says('Ok.'))
  const ABORTED = fail('ask_user_question was aborted before the user answered')

  it('to a native question is told apart from a skipped one', async () => {
    const l = log({ tools: ['ask_user_question'] }).user('go', (t) => t
      .call('ask_user_question', { questions: [DB] }, answersOf([DB], { db: 'SQLite' }))
      .call('ask_user_question', { questions: [DB] }, answersOf([DB], { db: null }))
      .call('ask_user_question', { questions: [DB] }, fail('the user cancelled ask_user_question', 'ASK_CANCELLED')).says('Ok.'))
    expect((await judge(l)).map((a) => [a.state, a.reason])).toEqual([['delivered', null], ['skipped', null], ['unanswered', 'cancelled']])
  })

  it.each([
    ['timeout', 'deadline', (p: CallWriter) => p.fails('timeout', 'wall-clock ceiling reached (600000ms)')],
    ['run-over', null, (p: CallWriter) => p.returns('no answer within a minute')],
  ] as const)('because the wait was aborted: %s', async (reason, cause, body) => {
    expect(await judge(ending(ABORTED, body))).toMatchObject([{ state: 'unanswered', reason, cause }])
  })

  it.each([[true, 'user-typed'], [false, 'turn-cancelled']] as const)('because the turn was cancelled (typed: %s)', async (typed, cause) => {
    const l = log({ format: 0 }).user('go', (t) => t
      .program(CODE, (p) => {
        p.start('ask_user_question', { questions: [DB] }).wait(5000)
        if (typed) p.log.queue({ kind: 'user' }, 'stop, do this first', 'next-turn')
        p.settle(1, ABORTED).fails('abort', '[object Object]')
      })
      .ends({ kind: 'aborted', reason: { kind: 'user' } }))
    expect(await judge(l)).toMatchObject([{ state: 'unanswered', reason: 'aborted', cause }])
  })

  it('because the time was up, also when the human cancels the turn later on', async () => {
    const l = log({ format: 0 }).user('go', (t) => t
      .program(CODE, (p) => p.ask([DB], ABORTED, 600_000).fails('timeout', 'wall-clock ceiling reached (600000ms)'))
      .interrupted('Then I will'))
    expect(await judge(l)).toMatchObject([{ reason: 'timeout', cause: 'deadline' }])
  })

  it('because the log ends, or the process did', async () => {
    const open = (): Log => log().user('go', (t) => t.program(CODE, (p) => p.start('ask_user_question', { questions: [DB] }).open()))
    expect(await judge(open())).toMatchObject([{ state: 'unanswered', reason: 'pending' }])
    expect(await judge(open().resume())).toMatchObject([{ state: 'unanswered', reason: 'interrupted' }])
  })

  it('because a guard denied it at once', async () => {
    expect(await judge(ending(fail('nobody is here in this round'), (p) => p.returns('ok'), 2))).toMatchObject([{ state: 'unanswered', reason: 'denied' }])
  })
})

describe('answers of a fork', () => {
  it('leave out what was copied from the parent', async () => {
    const parent = asking((p) => p.returns('asked'))
    expect(await judge(log({ seed: parent }).user('go on', (t) => t.says('Ok.')), UNUSED)).toEqual([])
  })
})
