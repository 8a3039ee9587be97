/** The logs under `fixtures/`, as scripts. All of it is invented. */
import type { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import { labelled } from './labelled.ts'
import { fail, log, question, type Format, type Log, type LogOptions } from './log.ts'
import { zip } from './zip.ts'
import { zstdLog } from './zstd.ts'

const OBJECTIVE = 'Move the importer to the new storage engine'
const storage = question('storage', 'Which storage engine should the importer use?', ['Postgres', 'SQLite'], { header: 'Storage' })
const retention = question('retention', 'How long do we keep raw uploads?', ['30 days', '90 days'], { header: 'Retention' })
const IDLE_WORDS = ['Awaiting your two decisions.', 'Still waiting for the storage and retention decisions.', 'Nothing to do until the two decisions arrive.']

/** Two answers are dropped in round 1; then the goal waits for them until its rounds are used up. */
export function stuck(options: LogOptions): Log {
  return log({ goal: OBJECTIVE, cap: 16, cwd: '/srv/importer', usage: { inputTokens: 21_400, outputTokens: 180 }, model: 'deepseek-chat', ...options })
    .round((r) => r
      .program('const plan = await tools.read({ path: "docs/plan.md" })\nreturn plan', (p) => p.dispatch('read', { path: 'docs/plan.md' }, 'Decide: storage engine, retention.').wait(40).returns('Decide: storage engine, retention.'))
      .wait(3200)
      .program('await tools.ask_user_question({ questions: [{ id: "storage", question: "Which storage engine should the importer use?", header: "Storage", options: [{ label: "Postgres" }, { label: "SQLite" }] }] })\nreturn "asked"',
        (p) => p.ask([storage], { storage: 'Postgres' }, 74_000).returns('asked'))
      .wait(2100)
      .program('const questions = [{ id: "retention", question: "How long do we keep raw uploads?", header: "Retention", options: [{ label: "30 days" }, { label: "90 days" }] }]\nawait tools.ask_user_question({ questions })\nreturn "asked"',
        (p) => p.ask([retention], { retention: 'two weeks, then aggregates only' }, 131_000).returns('asked'))
      .wait(1900)
      .says('I have asked for two decisions and will go on when I know them.'))
    .rounds(15, (r, i) => {
      r.wait(9000)
      if (i % 3 === 1) r.program('return await tools.read({ path: "docs/plan.md" })', (p) => p.dispatch('read', { path: 'docs/plan.md' }, 'Decide: storage engine, retention.').returns('Decide: storage engine, retention.')).wait(2500)
      if (i % 5 === 3) r.program('return await tools.get_goal({})', (p) => p.dispatch('get_goal', {}, p.log.goalValue()).returns(p.log.goalValue())).wait(2500)
      r.says(IDLE_WORDS[i % IDLE_WORDS.length] ?? '')
    })
    .roundLimit()
}

/** The same question, returned to the model; the goal gets done. */
export function healthy(options: LogOptions): Log {
  return log({ goal: OBJECTIVE, cap: 16, cwd: '/srv/importer', ...options })
    .user('Ask me about the storage engine before you begin.', (t) => t
      .program('return await tools.ask_user_question({ questions: [{ id: "storage", question: "Which storage engine should the importer use?", header: "Storage", options: [{ label: "Postgres" }, { label: "SQLite" }] }] })',
        (p) => p.ask([storage], { storage: 'Postgres' }, 41_000).returns({ answers: [{ id: 'storage', selected: ['Postgres'] }] }))
      .says('Postgres it is.'))
    .round((r) => r
      .program('return await tools.write({ path: "src/store.ts", content: "export const engine = \'postgres\'" })', (p) => p
        .dispatch('write', { path: 'src/store.ts', content: "export const engine = 'postgres'" }, 'Wrote src/store.ts').returns('Wrote src/store.ts'))
      .says('The store is in place; next come the tests.'))
    .round((r) => r
      .program('return await tools.bash({ command: "npm test" })', (p) => p.dispatch('bash', { command: 'npm test' }, '12 tests passed', 8000).returns('12 tests passed'))
      .updateGoal('complete')
      .says('The importer stores to Postgres; all 12 tests pass.'))
}

/** A guard denies the question in a goal round; the model reports the open decision instead. */
export function guarded(options: LogOptions): Log {
  const asks = 'return await tools.ask_user_question({ questions: [{ id: "storage", question: "Which storage engine should the importer use?", options: [{ label: "Postgres" }, { label: "SQLite" }] }] })'
  const denial = fail('nobody watches a goal round; report the decision with update_goal')
  return log({ goal: OBJECTIVE, cap: 16, cwd: '/srv/importer', ...options })
    .round((r) => r
      .program('return await tools.write({ path: "docs/options.md", content: "Postgres or SQLite" })', (p) => p.dispatch('write', { path: 'docs/options.md', content: 'Postgres or SQLite' }, 'Wrote docs/options.md').returns('Wrote docs/options.md'))
      .says('Two engines come into question.'))
    .round((r) => r
      .program('return await tools.bash({ command: "npm run bench" })', (p) => p.dispatch('bash', { command: 'npm run bench' }, 'postgres 91 ms, sqlite 88 ms', 15_000).returns('postgres 91 ms, sqlite 88 ms'))
      .says('They are equally fast.'))
    .round((r) => r
      .program(asks, (p) => p.ask([storage], denial, 3).fails('exception', 'ToolCallError: nobody watches a goal round; report the decision with update_goal'))
      .updateGoal('blocked', 'Postgres or SQLite: both fit, a human has to choose.')
      .says('I need your choice between Postgres and SQLite.'))
}

/** A question called natively, one item of it skipped. */
export function native(options: LogOptions): Log {
  const items = [storage, retention]
  return log({ tools: ['ask_user_question', 'read', 'write'], cwd: '/srv/importer', ...options })
    .user('Set up the importer.', (t) => t
      .call('ask_user_question', { questions: items }, undefined, (c) => c.wait(52_000).returns('{"answers":[{"id":"storage","selected":["SQLite"]},{"id":"retention","selected":[]}]}'))
      .says('SQLite, and the retention stays as it is.'))
}

/** Killed while a question was open. */
function crashed(options: LogOptions): Log {
  return log({ cwd: '/srv/importer', ...options })
    .user('Set up the importer.', (t) => t
      .program('return await tools.ask_user_question({ questions: [{ id: "storage", question: "Which storage engine should the importer use?" }] })', (p) => p.start('ask_user_question', { questions: [question('storage', 'Which storage engine should the importer use?')] }).open()))
}

function child(options: LogOptions, label: string): Log {
  return log(options)
    .row('subagent/descriptor', { version: options.format === 4 ? 3 : 2, mode: 'one-shot', provider: 'in-process', label })
    .user(`Look at ${label}.`, (t) => t.program('return await tools.read({ path: "README.md" })', (p) => p.dispatch('read', { path: 'README.md' }, '# Importer').returns('# Importer')).says('It is an importer.'))
}

/** A session id of its own for every log; copies of one session share it. */
function id(label: string): string {
  const hex = hash('sha1', label, 'hex')
  return `session-${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const name = (format: Format): string => (format === 0 ? 'session.jsonl' : `session.v${format}.jsonl`)

/** Path below `fixtures/` → content. */
export async function fixtures(): Promise<Map<string, Buffer | string>> {
  const files = new Map<string, Buffer | string>()
  const code = { agentPreset: 'code' }
  files.set('stuck-goal-run/session.jsonl', stuck({ format: 0, id: id('stuck'), header: code }).toText())
  files.set('healthy-goal-run/session.jsonl', healthy({ format: 0, id: id('healthy'), header: code }).toText())
  files.set('guarded-goal-run/session.v4.jsonl', guarded({ format: 4, id: id('guarded') }).toText())
  files.set('native-question/session.v4.jsonl', native({ format: 4, id: id('native') }).toText())

  for (const format of [2, 3, 4] as const) files.set(`formats/v${format}/${name(format)}`, stuck({ format, id: id('formats') }).toText())
  files.set('formats/unpacked/session.jsonl', stuck({ format: 0, id: id('unpacked'), chunks: 'single' }).toText())
  files.set('formats/zstd/session.jsonl.zstd', await zstdLog(stuck({ format: 0, id: id('zstd') }).toText()))

  const torn = healthy({ format: 0, id: id('torn') }).toText()
  const holed = healthy({ format: 0, id: id('holed') }).toText()
  files.set('damage/torn/session.jsonl', torn.slice(0, torn.lastIndexOf('tool/result') + 40))
  files.set('damage/crashed/session.v4.jsonl', crashed({ format: 4, id: id('crashed') }).toText())
  files.set('damage/gap/session.jsonl', holed.split('\n').filter((_, i) => i !== 20).join('\n'))

  const parent = stuck({ format: 0, id: id('parent'), header: code })
  files.set('fork/parent/session.jsonl', parent.toText())
  files.set('fork/child/session.jsonl', log({ format: 0, id: id('fork'), seed: parent })
    .user('What did I choose?', (t) => t.says('You chose nothing that I know of.')).toText())

  const childIds = [id('child one'), id('child two')] as const
  const family = { format: 4, cwd: '/srv/importer' } as const
  const root = log({ ...family, id: id('root'), tools: ['subagent', 'read'] })
    .user('Have two helpers look around.', (t) => t
      .call('subagent', { prompt: 'Look at the importer.' }, undefined, (c) => c.row('subagent/catalog', { version: 0, childId: childIds[0], childCreatedAt: 1_780_000_000_000, mode: 'one-shot', label: 'importer' }).wait(9000).returns('It is an importer.'))
      .call('subagent', { prompt: 'Look at the store.' }, undefined, (c) => c.row('subagent/catalog', { version: 0, childId: childIds[1], childCreatedAt: 1_780_000_000_000, mode: 'one-shot', label: 'store' }).wait(9000).returns('It is an importer.'))
      .says('Both say it is an importer.'))
  const childHeader = { origin: 'subagent', parentSession: id('root'), delegationDepth: 1 }
  const children = [child({ ...family, id: childIds[0], header: childHeader }, 'importer'), child({ ...family, id: childIds[1], header: childHeader }, 'store')]
  const tree: Record<string, string> = { 'session.v4.jsonl': root.toText() }
  for (const [i, c] of children.entries()) tree[`subagents/${childIds[i]}/session.v4.jsonl`] = c.toText()
  for (const [path, text] of Object.entries(tree)) files.set(`subagents/${path}`, text)
  files.set(`export/dsh-session.zip`, zip({ ...tree, 'media/sha256-0.png': 'not a picture' }))

  for (const [path, text] of labelled(id)) files.set(`labelled/${path}`, text)

  files.set('look-alike/session.jsonl', '{"type":"session","version":3,"id":"a1b2","timestamp":"2026-05-28T10:00:00Z","cwd":"/srv/app"}\n{"type":"message","id":"1","message":{"role":"user","content":"hello"}}\n')
  return files
}
