/** Any legal run, as a script that can be written in every format. */
import fc from 'fast-check'
import { fail, log, question, type CallWriter, type Log, type LogOptions, type Turn } from './log.ts'

type Step =
  | { readonly does: 'says'; readonly text: string }
  | { readonly does: 'call' | 'program' | 'overlap' | 'ask' | 'throw'; readonly text: string }
  | { readonly does: 'retry' | 'steer' | 'wait' }

interface TurnScript {
  readonly opens: 'user' | 'round'
  readonly steps: readonly Step[]
  readonly after: 'nothing' | 'compact' | 'prune' | 'resume' | 'crash'
}

const text = fc.constantFrom('ok', 'A longer text with “quotes”, a \\ and a\nbreak that is cut into several pieces of a stream', 'née 中文 🙂', '')
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant('says' as const), text }),
  fc.record({ does: fc.constantFrom('call' as const, 'program' as const, 'overlap' as const, 'ask' as const, 'throw' as const), text }),
  fc.record({ does: fc.constantFrom('retry' as const, 'steer' as const, 'wait' as const) }),
)

export const runScript: fc.Arbitrary<readonly TurnScript[]> = fc.array(
  fc.record({
    opens: fc.constantFrom('user' as const, 'round' as const),
    steps: fc.array(step, { maxLength: 5 }),
    after: fc.constantFrom('nothing' as const, 'compact' as const, 'prune' as const, 'resume' as const, 'crash' as const),
  }),
  { minLength: 1, maxLength: 5 },
)

export function writeRun(script: readonly TurnScript[], options: LogOptions): Log {
  const l = log({ goal: 'Ship it', cap: 100, ...options })
  for (const { opens, steps, after } of script) {
    const body = (t: Turn): void => {
      for (const s of steps) writeStep(t, s)
      // Something has to claim what was queued, and a pruner something to prune.
      t.call('read', { path: 'end.txt' }, 'a long result')
      if (after === 'crash') t.program('await tools.bash({ command: "sleep 9" })', (p) => p.start('bash', { command: 'sleep 9' }).open())
    }
    if (opens === 'user') l.user('Go on', body)
    else l.round(body)
    if (after === 'compact') l.compact('Much was done.')
    if (after === 'prune') l.user('Prune', (t) => { l.prune(l.seqs('tool/result').at(-1) ?? -1, 'a …'); t.says('ok') })
    if (after === 'resume' || after === 'crash') l.resume()
  }
  return l
}

function writeStep(turn: Turn, s: Step): Turn {
  switch (s.does) {
    case 'says': return turn.says(s.text)
    case 'call': return turn.steps((w) => w.call('read', { path: 'a' }, s.text).call('bash', { command: 'b' }, fail('no')))
    case 'program': return turn.program(`return ${JSON.stringify(s.text)}`, (p) => p.dispatch('write', { path: 'a', content: s.text }, 'ok').prints('one').returns(s.text))
    case 'overlap': return turn.program('await Promise.all([])', overlap)
    case 'ask': return turn.program('return "asked"', (p) => p.ask([question('q', 'Which?', ['A', 'B'])], { q: s.text === '' ? null : s.text }).returns('asked'))
    case 'throw': return turn.program('throw 1', (p) => p.dispatch('read', {}, fail('gone', 'FS_NOT_FOUND', 'FsError')).prints('so far').fails('exception', '1'))
    case 'retry': return turn.retries(2)
    case 'steer': return turn.steers('Wait a moment')
    default: return turn.wait(60_000)
  }
}

/** Settles come back in another order than the starts. */
function overlap(p: CallWriter): unknown {
  return p.start('read', { path: 'a' }).start('read', { path: 'b' }).start('read', { path: 'c' }).settle(3, 'C').settle(1, 'A').settle(2, 'B').returns('ABC')
}
