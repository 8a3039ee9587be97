/** Every kind of fault, and what has to be said of it: the rules that fire and the rows they point to. */
import { fail, question, spilled, type CallWriter, type Turn } from '../support/log.ts'
import { NATIVE_TOOLS, work, type Mode, type Run } from './runs.ts'

type Found = readonly [rule: string, seq: number]

export interface Fault {
  readonly rule: string
  /** Tells several faults of one rule apart. */
  readonly how?: string
  /** The way of calling tools that can have it; both by default. */
  readonly mode?: Mode
  /** It needs a goal. */
  readonly inGoal?: boolean
  /** The log ends with it. */
  readonly ends?: boolean
  /** All that is to be found because of it. */
  readonly plant: (run: Run) => readonly Found[]
  /** What happens to the written text. */
  readonly damage?: (text: string) => string
}

const engine = question('engine', 'Which engine drives the crane?', ['Steam', 'Diesel', 'Electric'])
const ropes = question('ropes', 'Which ropes are kept?', ['Hemp', 'Wire', 'Chain'], { multi_select: true })
const asks = (items: readonly unknown[]): string => `await tools.ask_user_question(${JSON.stringify({ questions: items })})`
const DENIED = fail('no questions in goal rounds; report the decision with update_goal')
const ABORTED = fail('ask_user_question was aborted before the user answered', 'ASK_ABORTED')

const lastCall = (run: Run): number => run.lastCall()
const lastResult = (run: Run): number => run.lastResult()

/** A turn of the human with this in it. */
function inTurn(run: Run, body: (turn: Turn) => unknown): void {
  run.log.user('Go on with the engine.', (t) => { body(t); t.says('So much for the engine.') })
}

/** One turn is all that the fault needs. */
const turnFault = (rule: string, more: Pick<Fault, 'how' | 'mode' | 'inGoal'>, row: (run: Run) => number, body: (turn: Turn, run: Run) => unknown): Fault => ({
  rule, ...more, plant: (run) => { inTurn(run, (t) => body(t, run)); return [[rule, row(run)]] },
})

/** A program whose answer ends as told. */
const answered = (rule: string, code: string, end: (p: CallWriter) => unknown, items = [engine], chosen: { readonly [id: string]: string | readonly string[] } = { engine: 'Diesel' }): Fault => (
  turnFault(rule, { mode: 'code' }, lastResult, (t) => t.program(code, (p) => end(p.ask(items, chosen)))))

/** A question, asked in either way, that ends as told. */
const asked = (rule: string, how: string, items: Parameters<Run['ask']>[1], chosen: Parameters<Run['ask']>[2], ms?: number): Fault => (
  turnFault(rule, { how }, lastCall, (t, run) => run.ask(t, items, chosen, ms)))

/** The seq of the first call after this point. */
function firstCallOf(run: Run, write: () => unknown): number {
  const before = run.calls.length
  write()
  return run.calls[before] ?? -1
}

const times = (count: number, body: (i: number) => unknown): void => { for (let i = 0; i < count; i += 1) body(i) }
const without = (tool: string): string[] => NATIVE_TOOLS.filter((t) => t !== tool)

export const faults: readonly Fault[] = [
  // answers
  answered('dropped-answer', `${asks([engine])}\nreturn "asked"`, (p) => p.returns('asked')),
  answered('partial-answer', `const { answers } = ${asks([ropes])}\nreturn answers[0].selected[0]`, (p) => p.returns('Hemp'), [ropes], { ropes: ['Hemp', 'Chain'] }),
  answered('lost-answer', `const { answers } = ${asks([engine])}\nreturn answers.engine.selected`, (p) => p.fails('exception', "TypeError: Cannot read properties of undefined (reading 'selected')")),
  answered('truncated-answer', `const answer = ${asks([engine])}\nreturn { tables: "lift ".repeat(20000), answer }`, (p) => p.returns(spilled(`{\n  "tables": "${'lift '.repeat(50)}`, 100_000))),
  answered('consumed-answer', `const { answers } = ${asks([engine])}\nawait tools.write({ file_path: "engine.txt", content: answers[0].selected[0] })\nreturn "saved"`, (p) => p.dispatch('write', { file_path: 'engine.txt', content: 'Diesel' }, 'Wrote engine.txt').returns('saved')),
  {
    rule: 'evicted-answer',
    plant: (run) => {
      run.log.user('Go on with the engine.', (t) => { run.ask(t, [engine], { engine: 'Diesel' }); run.log.compact('The engine is being chosen.', {}, t.turn); t.says('On with it.') })
      return [['evicted-answer', run.lastResult()]]
    },
  },
  {
    rule: 'late-answer', mode: 'code',
    plant: (run) => {
      inTurn(run, (t) => t.program(`${asks([engine])}\nreturn "asked"`, (p) => p.ask([engine], { engine: 'Diesel' }).returns('asked')))
      const seq = run.lastResult()
      run.log.user('I said Diesel.', (t) => t.says('Then that.'))
      return [['late-answer', seq]]
    },
  },
  asked('empty-answer', 'nothing chosen', [ropes], { ropes: null }),
  asked('instant-answer', 'in 20 ms', [engine], { engine: 'Steam' }, 20),
  turnFault('unread-result', { mode: 'code' }, lastResult, (t) => t.program('await tools.read({ file_path: "engine.md" })', (p) => p.dispatch('read', { file_path: 'engine.md' }, 'Three engines.'))),
  turnFault('swallowed-error', { mode: 'code' }, lastResult, (t) => t.program('try { await tools.bash({ command: "make engine" }) } catch {}\nreturn "built"',
    (p) => p.dispatch('bash', { command: 'make engine' }, fail('no rule to make engine')).returns('built'))),
  turnFault('lost-work', { mode: 'code' }, lastResult, (t) => t.program('await tools.write({ file_path: "boiler.ts", content: "steam" })\nthrow new Error("out of coal")',
    (p) => p.dispatch('write', { file_path: 'boiler.ts', content: 'steam' }, 'Wrote boiler.ts').fails('exception', 'Error: out of coal'))),

  // questions
  {
    rule: 'pending-question',
    plant: (run) => {
      const args = { questions: [engine] }
      run.log.user('Go on with the engine.', (t) => (run.mode === 'native'
        ? t.call('ask_user_question', args, undefined, (c) => c.open())
        : t.program(`return ${asks([engine])}`, (p) => p.start('ask_user_question', args).open()))).resume()
      return [['pending-question', run.lastCall()]]
    },
  },
  asked('slow-answer', 'in 200 s', [engine], { engine: 'Steam' }, 200_000),
  asked('aborted-question', 'by a signal', [engine], ABORTED),
  asked('cancelled-question', 'by the human', [engine], fail('the user cancelled ask_user_question', 'ASK_CANCELLED')),
  asked('rejected-question', 'nobody to show it', [engine], fail('no user-questions provider is registered', 'NO_PROVIDER'), 2),
  asked('ignored-question-field', 'multiSelect', [{ ...engine, multiSelect: true }], { engine: 'Steam' }),
  asked('ambiguous-question', 'two equal options', [question('engine', 'Which engine?', ['Steam', 'Diesel', 'Steam'])], { engine: 'Diesel' }),
  asked('invalid-answer', 'an unknown choice', [engine], { engine: ['Petrol'] }),
  {
    rule: 'missing-question-tool', mode: 'native',
    plant: (run) => {
      inTurn(run, (t) => run.ask(t, [engine], fail('unknown tool "ask_user_question"', 'UNKNOWN_TOOL', 'ToolError'), 1))
      return [['missing-question-tool', run.lastCall()]]
    },
  },
  turnFault('missing-question-tool', { mode: 'code' }, (run) => run.log.seqs('tool/call').at(-1) ?? -1,
    (t) => t.program(`return ${asks([engine])}`, (p) => p.fails('exception', 'TypeError: tools.ask_user_question is not a function'))),
  turnFault('plan-review', {}, lastCall, (t, run) => run.call(t, 'exit_plan_mode', { plan: '# Plan\n\nAn engine.' }, fail('The user chose to keep planning; their feedback: quieter'), 9000)),

  // goals
  {
    rule: 'idle-rounds', inGoal: true,
    plant: (run) => {
      const from = run.log.seq + 1
      run.log.rounds(3, (r) => r.says('Next comes the engine.'))
      return [['idle-rounds', from]]
    },
  },
  {
    rule: 'busy-wait', inGoal: true,
    plant: (run) => {
      const poll = (r: Turn, state: string): Turn => run.call(r, 'job_output', { job_id: 'bash-2' }, state).says('The engine is being cast.')
      return [['busy-wait', firstCallOf(run, () => { run.log.rounds(4, (r) => poll(r, '[status: running]')).round((r) => poll(r, '[status: completed, exit code 0]')) })]]
    },
  },
  ...([['max-tokens', { kind: 'max-tokens' }], ['error', { kind: 'error', error: { message: 'too long', code: 'CONTEXT_WINDOW_EXCEEDED', status: 400 } }]] as const).map(([how, reason]): Fault => ({
    rule: 'stalled-goal', how, inGoal: true, ends: true, plant: (run) => { run.log.round((r) => { work(run, r, 4).says('And').ends(reason) }); return [['stalled-goal', run.log.seq]] },
  })),
  {
    rule: 'stalled-goal', how: 'restart', inGoal: true, ends: true,
    plant: (run) => { run.log.resume(); const { seq } = run.log; run.log.user('What now?', (t) => t.says('The crane stands.')); return [['stalled-goal', seq]] },
  },
  {
    rule: 'unreported-blocker', inGoal: true,
    plant: (run) => {
      const look = (r: Turn): Turn => run.call(r, 'bash', { command: 'ls shed' }, 'no key').says('The shed with the engine is locked.')
      run.log.round((r) => { look(r) })
      const from = run.log.seq + 1
      run.log.rounds(3, look)
      run.log.user('The shed is open.', (t) => t.says('Thanks.'))
      const round = run.log.rows.find((row) => Number(row['seq']) > from && row['type'] === 'user/message')
      return [['idle-rounds', from], ['unreported-blocker', Number(round?.['seq'])]]
    },
  },
  {
    rule: 'refused-goal-update', inGoal: true,
    plant: (run) => {
      const refused = (r: Turn, i: number): void => { run.call(r, 'update_goal', { action: 'complete', revision: 1 }, fail('stale goal revision', 'GOAL_STALE_REVISION', 'GoalError')); work(run, r, 10 + i) }
      const before = run.calls.length
      run.log.rounds(3, refused)
      return [['refused-goal-update', run.calls[before] ?? -1]]
    },
  },
  {
    rule: 'missing-goal-tool', mode: 'native', inGoal: true,
    plant: (run) => {
      run.log.header({ tools: without('update_goal') }).round((r) => { work(run, r, 5) })
      const seq = run.log.seqs('request/header').at(-1) ?? -1
      run.log.header({ tools: NATIVE_TOOLS })
      return [['missing-goal-tool', seq]]
    },
  },
  {
    rule: 'round-cap', inGoal: true, ends: true,
    plant: (run) => { run.log.roundLimit(); return [['round-cap', run.log.seq]] },
  },

  // guards
  { rule: 'unguarded-question', inGoal: true, plant: (run) => { run.log.round((r) => { run.ask(r, [engine], { engine: 'Steam' }).says('Steam.') }); return [['unguarded-question', run.lastCall()]] } },
  {
    rule: 'gap-in-guard', inGoal: true,
    plant: (run) => {
      run.log.round((r) => { run.ask(r, [ropes], DENIED, 2); work(run, r, 5) }).round((r) => { run.ask(r, [engine], { engine: 'Steam' }).says('Steam.') })
      return [['gap-in-guard', run.lastCall()], ['unguarded-question', run.lastCall()]]
    },
  },
  turnFault('leaked-guard', { inGoal: true }, lastCall, (t, run) => run.ask(t, [engine], DENIED, 2)),
  {
    rule: 'swallowed-denial', inGoal: true, mode: 'code',
    plant: (run) => {
      run.log.round((r) => { r.program(`let engine = "Steam"\ntry { engine = (${asks([engine])}).answers[0].selected[0] } catch {}\nreturn { engine }`, (p) => p.ask([engine], DENIED, 2).returns({ engine: 'Steam' })).says('Steam.') })
      return [['swallowed-denial', run.lastCall()]]
    },
  },
  {
    rule: 'ignored-denial', inGoal: true,
    plant: (run) => {
      const denied: number[] = []
      run.log.rounds(3, (r, i) => { run.ask(r, [engine], DENIED, 2); denied.push(run.lastCall()); work(run, r, 5 + i) })
      return [['ignored-denial', denied[2] ?? -1]]
    },
  },
  {
    rule: 'hidden-question-tool', mode: 'native', inGoal: true,
    plant: (run) => {
      run.log.header({ tools: without('ask_user_question') }).round((r) => { work(run, r, 5) })
      const seq = run.log.seqs('request/header').at(-1) ?? -1
      run.log.header({ tools: NATIVE_TOOLS })
      return [['hidden-question-tool', seq]]
    },
  },
  {
    rule: 'absent-repeat-guard', mode: 'native',
    plant: (run) => {
      const seq = firstCallOf(run, () => inTurn(run, (t) => times(5, () => run.call(t, 'bash', { command: 'make engine' }, 'nothing to be done'))))
      return [['absent-repeat-guard', seq], ['call-cycle', seq]]
    },
  },
  {
    rule: 'absent-repeat-guard', how: 'inside one program', mode: 'code',
    plant: (run) => {
      const seq = firstCallOf(run, () => inTurn(run, (t) => t.program('let last\nfor (let i = 0; i < 5; i++) last = await tools.bash({ command: "make engine" })\nreturn last', (p) => {
        times(5, () => p.dispatch('bash', { command: 'make engine' }, 'nothing to be done'))
        p.returns('nothing to be done')
      })))
      return [['absent-repeat-guard', seq], ['call-cycle', seq]]
    },
  },
  {
    rule: 'laundered-repetition', mode: 'code',
    plant: (run) => {
      const seq = firstCallOf(run, () => inTurn(run, (t) => times(5, () => run.call(t, 'bash', { command: 'make engine' }, 'nothing to be done'))))
      return [['laundered-repetition', seq], ['call-cycle', seq]]
    },
  },
  {
    rule: 'ignored-reminder', mode: 'native',
    plant: (run) => {
      const make = (t: Turn, count: number): void => times(count, () => run.call(t, 'bash', { command: 'make engine' }, 'nothing to be done'))
      let reminded = 0
      const seq = firstCallOf(run, () => inTurn(run, (t) => { make(t, 3); reminded = run.log.seq; t.reminder('bash', 3); make(t, 2) }))
      const reminder = run.log.rows.find((row) => Number(row['seq']) > reminded && row['type'] === 'user/message')
      return [['ignored-reminder', Number(reminder?.['seq'])], ['call-cycle', seq]]
    },
  },
  turnFault('unbounded-wait', { mode: 'native' }, lastCall, (t, run) => run.call(t, 'bash', { command: 'make engine' }, 'built', 700_000)),

  // loops
  {
    rule: 'call-cycle',
    plant: (run) => [['call-cycle', firstCallOf(run, () => inTurn(run, (t) => times(4, () => {
      run.call(t, 'bash', { command: 'make engine' }, 'missing: piston.o')
      run.call(t, 'bash', { command: 'make piston' }, 'missing: engine.o')
    })))]],
  },
  {
    rule: 'silent-turns',
    plant: (run) => { const seq = run.log.seq + 2; times(3, () => run.log.user('Go on.', (t) => t.says(''))); return [['silent-turns', seq]] },
  },
  {
    rule: 'argument-drift',
    plant: (run) => [['argument-drift', firstCallOf(run, () => inTurn(run, (t) => times(8, (i) => run.call(t, 'bash', { command: `make engine --size ${'x'.repeat(i + 1)}` }, fail('unknown size')))))]],
  },
  {
    rule: 'flip-flop', inGoal: true,
    plant: (run) => {
      const before = run.calls.length
      run.log.round((r) => {
        times(5, (i) => run.call(r, 'write', { file_path: 'engine.cfg', content: i % 2 === 0 ? 'steam' : 'diesel' }, 'Wrote engine.cfg'))
        r.says('The engine is chosen.')
      })
      return [['flip-flop', run.calls[before + 2] ?? -1]]
    },
  },
  turnFault('runaway-arguments', { mode: 'native' }, lastCall, (t, run) => run.call(t, 'write', { file_path: 'engine.txt', content: 'and a piston '.repeat(6000) }, 'Wrote engine.txt')),

  // log
  { rule: 'torn-log', ends: true, plant: (run) => [['torn-log', run.log.seq]], damage: (text) => `${text}{"type":"turn/start","seq":` },
  { rule: 'broken-sequence', plant: (run) => { run.log.skipSeqs(3); return [['broken-sequence', run.log.seq + 1]] } },
  {
    rule: 'unpaired-call', mode: 'native',
    plant: (run) => {
      let seq = -1
      run.log.user('Go on with the engine.', (t) => t.bare((l, { turn, step }) => {
        l.assistant(turn, step, [{ type: 'tool-call', id: 'call-lost', name: 'bash', arguments: '{}' }])
        seq = l.toolCall(turn, step, 'call-lost', 'bash', '{}')
      }).says('So much for the engine.'))
      return [['unpaired-call', seq]]
    },
  },
  turnFault('unsettled-dispatch', { mode: 'code' }, lastCall, (t) => t.program('tools.read({ file_path: "engine.md" })\nreturn "started"', (p) => p.start('read', { file_path: 'engine.md' }).returns('started'))),
  { rule: 'unknown-event', plant: (run) => { run.log.row('crane/lifted', { tons: 3 }); return [['unknown-event', run.log.seq]] } },
  { rule: 'undelivered-message', ends: true, plant: (run) => { run.log.queue({ kind: 'user' }, 'And paint it.', 'next-turn'); return [['undelivered-message', run.log.seq]] } },
  { rule: 'invariant-violation', plant: (run) => { run.log.row('turn/end', { turn: 1, reason: { kind: 'completed' } }); return [['invariant-violation', run.log.seq]] } },
]
