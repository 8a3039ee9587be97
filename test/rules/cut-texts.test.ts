import { describe, expect, it } from 'vitest'
import { diagnose } from '../../src/index.ts'
import { fail, log, question, type Log, type Turn } from '../support/log.ts'

const long = (n: number): string => Array.from({ length: 100 }, (_, i) => `part ${n * 1000 + i}`).join('\n')

/** Rules and rows of what is found, without what is left open. Then the same when later texts have taken the room of these. */
async function found(body: (l: Log) => unknown, replay = false): Promise<{ whole: string[]; cut: string[] }> {
  const tools = ['run_code', 'bash', 'read', 'write', 'edit', 'ask_user_question', 'update_goal', 'exit_plan_mode']
  const of = async (size: number): Promise<string[]> => {
    const l = log({ goal: 'Ship it', tools })
    body(l)
    l.user('One more thing', (t) => { for (let n = 0; n < 9; n += 1) t.call('read', { path: `big-${n}` }, `${n}`.padEnd(size, '.')) })
    const session = await l.session()
    expect(session.cutTexts > 0).toBe(size > 1000)
    const [report] = (await diagnose(session, { replay })).sessions
    return (report?.findings ?? []).map((f) => `${f.certainty} ${f.rule} ${f.severity} ${f.at.seq}`)
  }
  return { whole: await of(300), cut: await of(1024 * 1024) }
}

const ask = [question('db', 'Which database?', ['Postgres', 'SQLite'])]
const write = (r: Turn, n: number): Turn => r.program(`await tools.write({ path: 'a.md', content: ${JSON.stringify(long(n))} })\nreturn 'written'`, (p) => p.dispatch('write', { path: 'a.md', content: long(n) }, 'Wrote a.md').returns('written'))

describe('texts that are cut', () => {
  it.each<[string, (l: Log) => unknown]>([
    ['writes', (l) => l.rounds(8, write)],
    ['writes under a question nobody answered', (l) => l.round((r) => r.program('await tools.ask_user_question({ questions }); return "asked"', (p) => p.ask(ask, { db: 'SQLite' }).returns('asked'))).rounds(8, (r, n) => write(r, n).says('The database is still open: Postgres or SQLite.'))],
    ['edits', (l) => l.rounds(8, (r, n) => r.call('edit', { file_path: 'a.ts', old_string: long(n), new_string: long(n + 1) }, 'ok'))],
    ['commands', (l) => l.rounds(8, (r, n) => r.call('bash', { command: `cat > a.md <<'E'\n${long(n)}\nE` }, ''))],
    ['a command with a limit', (l) => l.user('Wait', (t) => t.call('bash', { command: `sleep 5000 # ${long(1)}`, timeout_ms: 9_000_000 }, 'done', (c) => c.wait(6_000_000).returns('done')))],
    ['a failed run that tells what it did', (l) => l.user('Go', (t) => t.program('…', (p) => p.dispatch('write', { file_path: 'src/told.ts', content: 'x' }, 'ok').prints(long(2)).prints('src/told.ts').prints(long(3)).fails('exception', 'Error: no')))],
    ['a plan that was sent back, and told', (l) => l.user('Go', (t) => t.program('…', (p) => p.dispatch('exit_plan_mode', { plan: `# Plan\n${long(1)}` }, fail('The user chose to keep planning; their feedback: use fewer files')).returns(`${long(2)}\nuse fewer files\n${long(3)}`)))],
    ['an answer that the human repeats', (l) => l.user('Go', (t) => t.program('await tools.ask_user_question({ questions }); return "asked"', (p) => p.ask(ask, { db: 'SQLite' }).returns('asked'))).user(`${long(1)}\nUse SQLite, please.\n${long(2)}`)],
  ])('never bring up anything: %s', async (_, body) => {
    const { whole, cut } = await found(body)
    expect(whole).toEqual(expect.arrayContaining(cut))
  })

  it.each(['dropped', 'consumed'])('of programs that ask are not cut: a %s answer', async (state) => {
    const [value, content] = state === 'consumed' ? ['SQLite', 'text + answer.answers[0].selected[0]'] : ['', 'text']
    const { whole, cut } = await found((l) => l.round((r) => r.program(`const text = await tools.read({ path: 'a' }); const answer = await tools.ask_user_question({ questions }); await tools.write({ file_path: 'a.md', content: ${content} }); return 'asked ' + text`, (p) => p
      .dispatch('read', { path: 'a' }, long(1)).ask(ask, { db: 'SQLite' }).dispatch('write', { file_path: 'a.md', content: `${long(3)}\n${value}\n${long(4)}` }, 'ok').returns(`asked ${long(1)}`))), true)
    expect(cut).toEqual(whole)
    expect(cut).toContainEqual(expect.stringContaining(`${state}-answer`))
  })
})
