import { describe, expect, it } from 'vitest'
import { answers, fail, log, question, type Format, type Log, type Turn } from '../support/log.ts'
import { fact } from '../support/rules.ts'

const NATIVE = ['read', 'write', 'edit', 'bash', 'job_output', 'todo_write', 'get_goal', 'update_goal', 'ask_user_question', 'subagent']
const start = (format: Format = 4): Log => log({ format, goal: 'Ship it', tools: NATIVE })

const file = (text: string): string => {
  const lines = text.split('\n')
  return `<content>\n${lines.map((line, i) => `${i + 1}: ${line}`).join('\n')}\n(End of file - total ${lines.length} lines)\n</content>`
}
const tests = (r: Turn, result = '3 passed'): Turn => r.call('bash', { command: 'npm test' }, result)
const edit = (r: Turn, from: string, to: string): Turn => r.call('edit', { file_path: 'a.ts', old_string: from, new_string: to }, 'updated')
const read = (r: Turn, result = file('one')): Turn => r.call('read', { file_path: 'a.ts' }, result)

/** State, and kind where idle. */
async function states(l: Log): Promise<string[]> {
  return (await fact(l, 'rounds')).map((r) => (r.kind === null ? r.state : `${r.state} ${r.kind}`))
}

describe('a round progresses', () => {
  it.each([0, 3, 4] as const)('when an edit makes a new state, natively or nested (format %i)', async (format) => {
    const l = start(format)
      .round((r) => edit(r, 'x', 'y'))
      .round((r) => r.program('…', (p) => p.dispatch('edit', { file_path: 'b.ts', old_string: 'x', new_string: 'y' }, 'updated').returns('done')))
    expect(await states(l)).toEqual(['progress', 'progress'])
  })

  it('when a command over changed code gives the same result', async () => {
    const l = start().round((r) => { edit(tests(r), 'x', 'y') }).round((r) => tests(r)).round((r) => tests(r))
    expect(await states(l)).toEqual(['progress', 'progress', 'idle replay'])
  })

  it('when somebody else changed the file it reads', async () => {
    const l = start().round((r) => read(r)).round((r) => read(r, file('two')))
    expect(await states(l)).toEqual(['progress', 'progress'])
  })

  it('by a new error, not by the same again', async () => {
    const l = start().rounds(3, (r, i) => r.call('bash', { command: 'make' }, fail(i < 2 ? `no rule ${i}` : 'no rule 1')))
    expect(await states(l)).toEqual(['progress', 'progress', 'idle error-replay'])
  })

  it('when the goal ends, the human speaks, or an answer arrives', async () => {
    const q = [question('db', 'Which?', ['A', 'B'])]
    const l = start()
      .round((r) => r.steers('go left').says('yes'))
      .round((r) => r.call('ask_user_question', { questions: q }, answers(q, { db: 'B' })))
      .round((r) => r.updateGoal('complete').says('done'))
    expect(await states(l)).toEqual(['progress', 'progress', 'progress'])
  })

  it('when the end of a subagent is reported', async () => {
    const l = start().round((r) => r.says('hm').queue({ kind: 'subagent-settled', form: 'notice', summary: 'done', senderSessionId: 's-1' }, 'It is done.').says('noted'))
    expect(await states(l)).toEqual(['progress'])
  })
})

describe('a round is idle', () => {
  it('when it says nothing, or only talks', async () => {
    const l = start().round((r) => r.says('')).round((r) => r.says('Soon.'))
    expect(await states(l)).toEqual(['idle silent', 'idle talk-only'])
  })

  it('when it only looks at its goal and rewords its list', async () => {
    const todos = (word: string): unknown => ({ todos: [{ content: word, status: 'pending' }] })
    const l = start().rounds(2, (r, i) => r.call('get_goal', {}, `{"roundsStarted":${i}}`).call('todo_write', todos(`step ${i}`), 'ok'))
    expect(await states(l)).toEqual(['idle status-only', 'idle status-only'])
  })

  it('when a status file changes in nothing but time and round, from its first writing on', async () => {
    const l = start().rounds(3, (r, i) => r.call('write', { file_path: 'alive.json', content: `{"round":${i + 1},"at":"2026-05-09T12:25:0${i}Z"}` }, 'ok'))
    expect(await states(l)).toEqual(['idle status-only', 'idle status-only', 'idle status-only'])
  })

  it('when a command prints such a status into a file, or an edit brings it up to date', async () => {
    const printed = start().rounds(3, (r, i) => r.call('bash', { command: `echo '{"round":${i + 1},"at":"2026-05-09T12:25:0${i}Z"}' > alive.json` }, '(no output)'))
    expect(await states(printed)).toEqual(['idle status-only', 'idle status-only', 'idle status-only'])
    const edited = start().rounds(3, (r, i) => edit(r, `round ${i}`, `round ${i + 1}`))
    expect(await states(edited)).toEqual(['progress', 'idle status-only', 'idle status-only'])
  })

  it('when the same text goes into a file named after the time of its writing', async () => {
    const l = start().rounds(3, (r, i) => r.call('write', { file_path: `report-20260509T12250${i}.md`, content: 'nothing new' }, 'ok'))
    expect((await states(l)).slice(1)).toEqual(['idle status-only', 'idle status-only'])
  })

  it('but not when numbered files are written, one per round', async () => {
    const l = start().rounds(3, (r, i) => r.call('write', { file_path: `page (${i + 1})`, content: `page ${i + 1} of 9` }, 'ok'))
    expect(await states(l)).toEqual(['progress', 'progress', 'progress'])
  })

  it('but not when the same file is written anew three times in earnest', async () => {
    const l = start().rounds(3, (r, i) => r.call('write', { file_path: 'a.txt', content: `chapter ${'i'.repeat(i + 1)}` }, 'ok'))
    expect(await states(l)).toEqual(['progress', 'progress', 'progress'])
  })

  it('when an edit only leads back, and the tests then say what they said', async () => {
    const l = start().rounds(3, (r) => { tests(edit(r, 'off', 'on'), '41 errors'); tests(edit(r, 'on', 'off'), 'fine') })
    expect(await states(l)).toEqual(['progress', 'idle replay', 'idle replay'])
  })

  it('when an edit flips a number that is once the number of the round', async () => {
    const l = start().rounds(4, (r, i) => edit(r, `n = ${1 + (i % 2)}`, `n = ${2 - (i % 2)}`))
    expect(await states(l)).toEqual(['progress', 'idle replay', 'idle replay', 'idle replay'])
  })

  it('when a command that did its work is given again', async () => {
    const l = start().rounds(3, (r, i) => r.call('bash', { command: 'npm install x' }, `up to date in ${i + 1}s`))
    expect(await states(l)).toEqual(['progress', 'idle replay', 'idle replay'])
  })

  it('when it reads back what the model wrote itself', async () => {
    const l = start().round((r) => r.call('write', { file_path: 'a.ts', content: 'mine\n' }, 'ok')).round((r) => read(r, file('mine')))
    expect(await states(l)).toEqual(['progress', 'idle replay'])
  })

  it('when a program keeps to itself what its calls found', async () => {
    const l = start().rounds(3, (r, i) => r.program('…', (p) => p.dispatch('read', { path: `part-${i}` }, `text ${i}`).returns('looked')))
    expect(await states(l)).toEqual(['progress', 'idle replay', 'idle replay'])
  })

  it('but not when a program shows at last what an earlier one only spoke of', async () => {
    const program = (r: Turn, text: string): Turn => r.program('…', (p) => p.dispatch('read', { file_path: 'a.ts' }, file('one')).returns(text))
    const l = start().round((r) => program(r, 'read 1 line')).round((r) => program(r, file('one'))).round((r) => program(r, file('one').slice(0, 20)))
    expect(await states(l)).toEqual(['progress', 'progress', 'idle replay'])
  })

  it('when a program drops the answer of the human a second time', async () => {
    const l = start().rounds(2, (r) => r.program('await tools.ask_user_question({ questions }); return "asked"', (p) => p.ask([question('db', 'Which?', ['A', 'B'])], { db: 'A' }).returns('asked')))
    expect((await states(l))[1]).toBe('idle replay')
  })

  it('when an update of the goal is refused', async () => {
    const l = start().rounds(2, (r) => r.call('update_goal', { action: 'complete', revision: 1 }, fail('stale goal revision', 'GOAL_STALE_REVISION', 'GoalError')))
    expect(await states(l)).toEqual(['idle error-replay', 'idle error-replay'])
  })
})

describe('a round waits', () => {
  it('while a job is alive that ends later, even when it only talks', async () => {
    const poll = (r: Turn, result: string): Turn => r.call('job_output', { job_id: 'bash-1' }, result)
    const l = start()
      .round((r) => r.call('bash', { command: 'make', run_in_background: true }, 'started background job bash-1'))
      .round((r) => poll(r, '(no new output)\n[status: running]'))
      .round((r) => poll(r, '(no new output)\n[status: running]'))
      .round((r) => r.says('Still building.'))
      .round((r) => poll(r, 'built\n[status: completed, exit code 0]'))
      .round((r) => r.says('Done.'))
    expect(await states(l)).toEqual(['progress', 'progress', 'waiting', 'waiting', 'progress', 'idle talk-only'])
  })

  it('when it looks at something outside that changes later, but not when the model or the human changed it', async () => {
    const look = (r: Turn, result: string): Turn => r.call('bash', { command: 'ci show 12' }, result)
    const polled = start().rounds(2, (r) => look(r, 'queued')).round((r) => look(r, 'queued')).round((r) => look(r, 'passed'))
    expect(await states(polled)).toEqual(['progress', 'waiting', 'waiting', 'progress'])
    const told = start().rounds(2, (r) => look(r, 'queued')).user('I restarted it').round((r) => look(r, 'passed'))
    expect(await states(told)).toEqual(['progress', 'idle poll-only', 'progress'])
    const meanwhile = start().rounds(3, (r) => look(r, 'queued')).round((r) => edit(r, 'x', 'y')).round((r) => look(r, 'passed'))
    expect(await states(meanwhile)).toEqual(['progress', 'waiting', 'waiting', 'progress', 'progress'])
    const edited = start().rounds(2, (r) => tests(r, 'red')).round((r) => tests(edit(r, 'x', 'y'), 'green'))
    expect(await states(edited)).toEqual(['progress', 'idle replay', 'progress'])
  })

  it('and is not judged while the log stops inside it', async () => {
    expect(await states(start().round((r) => r.says('hm').crashes()))).toEqual(['waiting'])
  })
})

describe('looks under an open question', () => {
  const ask = (r: Turn): Turn => r.program('await tools.ask_user_question({ questions }); return "asked"', (p) => p.ask([question('storage', 'Which storage engine for sessions?', ['SQLite', 'Postgres'])], { storage: 'SQLite' }).returns('asked'))

  it('are idle when the rounds go on naming the question', async () => {
    const l = start().round(ask).rounds(3, (r, i) => r.call('bash', { command: `ls part${i}` }, `p${i}`).says('The storage engine is undecided.'))
    expect((await states(l)).slice(1)).toEqual(['idle replay', 'idle replay', 'idle replay'])
  })

  it('are progress when a guard had denied it: nothing stands open', async () => {
    const denied = start().round((r) => r.call('ask_user_question', { questions: [question('storage', 'Which storage engine?', ['SQLite', 'Postgres'])] }, fail('No questions here.')))
      .rounds(3, (r, i) => r.call('bash', { command: `ls part${i}` }, `p${i}`).says('The storage engine of this part is SQLite.'))
    expect((await states(denied)).slice(1)).toEqual(['progress', 'progress', 'progress'])
  })

  it('are progress when they are about something else, or work is done', async () => {
    const audit = start().round(ask).rounds(3, (r, i) => r.call('bash', { command: `ls part${i}` }, `p${i}`).says(`Part ${i} is clean.`))
    expect((await states(audit)).slice(1)).toEqual(['progress', 'progress', 'progress'])
    const work = start().round(ask).rounds(3, (r, i) => edit(r, `x${i}`, `y${i}`).says('The storage engine is undecided.'))
    expect((await states(work)).slice(1)).toEqual(['progress', 'progress', 'progress'])
  })
})
