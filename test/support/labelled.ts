/** The labelled cases under `fixtures/labelled/`. All of it is invented; the labels are written by hand, not by running anything. */
import { fail, log, question, type Format, type Log, type LogOptions, type QuestionItem, type Turn } from './log.ts'

type Fields = { readonly [key: string]: unknown }
type Make = (options: LogOptions) => { readonly log: Log; readonly labels: Fields }
interface Sample { readonly format: Format; readonly make: Make }

const CWD = '/srv/orchard'
const colour = question('colour', 'Which colour do the row markers get?', ['Blue', 'Amber'])
const trees = question('trees', 'Which trees are pruned first?', ['Pear', 'Plum', 'Quince'], { multi_select: true })
const ASK_COLOUR = 'tools.ask_user_question({ questions: [{ id: "colour", question: "Which colour do the row markers get?", options: [{ label: "Blue" }, { label: "Amber" }] }] })'
const ASK_TREES = 'tools.ask_user_question({ questions: [{ id: "trees", question: "Which trees are pruned first?", options: [{ label: "Pear" }, { label: "Plum" }, { label: "Quince" }], multi_select: true }] })'

// --- answers -------------------------------------------------------------------------------------------------------

/** The one item of the log's one question, asked by a program. */
function item(l: Log, questionId: string, state: string, more: Fields = {}): Fields {
  const outer = l.seqs('tool/result')[0] ?? null
  const reached = state === 'delivered' || state === 'derived' || state === 'partial'
  return { turn: 1, ...idsOf(l), questionId, state, deliveredSeq: reached ? outer : null, ...more }
}

/** Of the log's last call, and the first nested call in it. */
function idsOf(l: Log): Fields {
  const data = l.rows.findLast((row) => row['type'] === 'tool/call')?.['data']
  const callId = typeof data === 'object' && data !== null && 'callId' in data ? String(data.callId) : ''
  return { callId, subCallId: l.isCodeMode ? `${callId}:${l.format >= 3 ? 'ptc' : 'code'}:1` : null }
}

function asks(code: string, items: readonly QuestionItem[], chosen: { readonly [id: string]: string | readonly string[] | null }, end: (call: Parameters<NonNullable<Parameters<Turn['program']>[1]>>[0]) => unknown) {
  return (options: LogOptions): Log => log({ cwd: CWD, ...options })
    .user('Set up the orchard plan.', (t) => t.program(code, (p) => end(p.ask(items, chosen, 48_000))).says('The plan is set up.'))
}

const answerCases: Readonly<Record<string, Sample>> = {
  'native-choice': {
    format: 4,
    make: (options) => {
      const l = log({ cwd: CWD, tools: ['ask_user_question', 'read'], ...options }).user('Set up the orchard plan.', (t) => t
        .call('ask_user_question', { questions: [colour] }, undefined, (c) => c.wait(48_000).returns('{"answers":[{"id":"colour","selected":["Amber"]}]}'))
        .says('Amber it is.'))
      return { log: l, labels: { answers: [item(l, 'colour', 'delivered')], note: 'asked natively: the answer is the result' } }
    },
  },
  'returned-choice': {
    format: 0,
    make: (options) => {
      const l = asks(`return await ${ASK_COLOUR}`, [colour], { colour: 'Blue' }, (p) => p.returns({ answers: [{ id: 'colour', selected: ['Blue'] }] }))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'delivered')], note: 'the program returns what was answered' } }
    },
  },
  'forgotten-choice': {
    format: 3,
    make: (options) => {
      const l = asks(`await ${ASK_COLOUR}\nreturn "The question was put."`, [colour], { colour: 'Amber' }, (p) => p.returns('The question was put.'))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'dropped')], note: 'the program returns a fixed text' } }
    },
  },
  'echoed-options': {
    format: 0,
    make: (options) => {
      const l = asks(`const choices = ["Blue", "Amber"]\nawait ${ASK_COLOUR}\nreturn "choices were " + choices.join(" and ")`, [colour], { colour: 'Blue' }, (p) => p.returns('choices were Blue and Amber'))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'dropped')], note: 'every label is printed whatever was chosen' } }
    },
  },
  'numbered-choice': {
    format: 4,
    make: (options) => {
      const l = asks(`const { answers } = await ${ASK_COLOUR}\nreturn { marker: answers[0].selected[0] === "Blue" ? 17 : 42 }`, [colour], { colour: 'Amber' }, (p) => p.returns({ marker: 42 }))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'derived')], note: 'the choice is told as a number' } }
    },
  },
  'first-of-two': {
    format: 0,
    make: (options) => {
      const l = asks(`const { answers } = await ${ASK_TREES}\nreturn answers[0].selected[0]`, [trees], { trees: ['Pear', 'Quince'] }, (p) => p.returns('Pear'))(options)
      return { log: l, labels: { answers: [item(l, 'trees', 'partial')], note: 'two trees are chosen, the first is told' } }
    },
  },
  'written-choice': {
    format: 4,
    make: (options) => {
      const l = asks(`const { answers } = await ${ASK_COLOUR}\nawait tools.write({ path: "marker.txt", content: answers[0].selected[0] })\nreturn "saved"`, [colour], { colour: 'Blue' },
        (p) => p.dispatch('write', { path: 'marker.txt', content: 'Blue' }, 'Wrote marker.txt').returns('saved'))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'consumed')], note: 'the choice goes into a file, the model is not told' } }
    },
  },
  'failed-after-choice': {
    format: 0,
    make: (options) => {
      const l = asks(`const { answers } = await ${ASK_COLOUR}\nawait tools.read({ path: "rows.csv" })\nreturn answers`, [colour], { colour: 'Blue' },
        (p) => p.dispatch('read', { path: 'rows.csv' }, fail('rows.csv does not exist')).fails('exception', 'ToolCallError: rows.csv does not exist'))(options)
      return { log: l, labels: { answers: [item(l, 'colour', 'lost', { reason: 'exception' })], note: 'a file is missing after the answer came' } }
    },
  },
  'nothing-chosen': {
    format: 3,
    make: (options) => {
      const l = asks(`return await ${ASK_TREES}`, [trees], { trees: null }, (p) => p.returns({ answers: [{ id: 'trees', selected: [] }] }))(options)
      return { log: l, labels: { answers: [item(l, 'trees', 'skipped')], note: 'the form is submitted empty' } }
    },
  },
}

// --- goals ---------------------------------------------------------------------------------------------------------

const LABELLED_RULES = [
  'idle-rounds', 'unguarded-question', 'leaked-guard', 'gap-in-guard', 'swallowed-denial', 'ignored-denial', 'hidden-question-tool', 'absent-repeat-guard',
  'laundered-repetition', 'ignored-reminder', 'call-cycle', 'stalled-goal', 'refused-goal-update', 'missing-goal-tool', 'round-cap', 'unreported-blocker', 'busy-wait',
]
const absentBut = (...others: readonly string[]): string[] => LABELLED_RULES.filter((rule) => !others.includes(rule))

const goal = (options: LogOptions, more: LogOptions = {}): Log => log({ goal: 'Plan the orchard', cap: 12, cwd: CWD, ...more, ...options })
const states = (l: Log, list: readonly string[], session?: string): Fields[] => list.map((state, i) => {
  const [name, kind] = state.split(' ')
  return { ...(session !== undefined && { session }), goalId: l.goalId, round: i + 1, state: name, ...(kind !== undefined && { kind }) }
})

function plant(r: Turn, row: number): Turn {
  const change = { path: `rows/${row}.txt`, content: `row ${row}: ${['pear', 'plum', 'quince', 'medlar'][row % 4]}` }
  return r.program(`return await tools.write(${JSON.stringify(change)})`, (p) => p.dispatch('write', change, `Wrote ${change.path}`).returns(`Wrote ${change.path}`)).says(`Row ${row} is planted.`)
}

const goalCases: Readonly<Record<string, Sample>> = {
  'four-rows-planted': {
    format: 0,
    make: (options) => {
      const l = goal(options).rounds(4, plant).round((r) => r.updateGoal('complete').says('All rows are planted.'))
      return { log: l, labels: { rounds: states(l, ['progress', 'progress', 'progress', 'progress', 'progress']), findings: [], absent: LABELLED_RULES, note: 'every round writes, the last one completes the goal' } }
    },
  },
  'announced-only': {
    format: 3,
    make: (options) => {
      const l = goal(options).rounds(2, plant)
      const from = l.seq + 1
      l.rounds(4, (r) => r.says('I will plant the next row now.'))
      const to = l.seq
      l.round((r) => plant(r, 5)).round((r) => r.updateGoal('complete').says('Planted.'))
      return {
        log: l,
        labels: {
          rounds: states(l, ['progress', 'progress', ...Array<string>(4).fill('idle talk-only'), 'progress', 'progress']),
          findings: [{ rule: 'idle-rounds', fromSeq: from, toSeq: to, rounds: [3, 6] }], absent: absentBut('idle-rounds', 'unreported-blocker'), note: 'four rounds announce work and do none',
        },
      }
    },
  },
  'waiting-for-a-dropped-answer': {
    format: 4,
    make: (options) => {
      const l = goal(options)
      l.round((r) => plant(r, 1).program(`await ${ASK_COLOUR}\nreturn "asked"`, (p) => p.ask([colour], { colour: 'Blue' }, 90_000).returns('asked')).says('The colour is asked for.'))
      const [call, result] = [l.seqs('tool/call').at(-1), l.seqs('tool/result').at(-1)]
      const waits = (r: Turn): Turn => r.says('The colour of the markers is still open.')
      const from = l.seq + 1
      l.rounds(10, waits)
      const lastRound = l.seq + 1
      l.round(waits).roundLimit()
      const to = l.seq
      return {
        log: l,
        labels: {
          answers: [item(l, 'colour', 'dropped')],
          rounds: states(l, ['progress', ...Array<string>(11).fill('idle talk-only')]),
          findings: [
            { rule: 'unguarded-question', fromSeq: call, toSeq: result },
            { rule: 'idle-rounds', fromSeq: from, toSeq: to, rounds: [2, 12], waitsFor: 'undelivered-answer' },
            { rule: 'unreported-blocker', fromSeq: from, toSeq: to }, { rule: 'round-cap', fromSeq: lastRound, toSeq: to },
          ],
          absent: absentBut('unguarded-question', 'idle-rounds', 'unreported-blocker', 'round-cap'), note: 'the answer is dropped, the goal waits for it until its rounds are used up',
        },
      }
    },
  },
  'five-programs-one-look': {
    format: 0,
    make: (options) => {
      const l = goal(options).round((r) => plant(r, 1))
      const from = l.seq + 1
      l.round((r) => { for (let i = 0; i < 6; i += 1) r.program('return await tools.read({ path: "rows/1.txt" })', (p) => p.dispatch('read', { path: 'rows/1.txt' }, 'row 1: plum').returns('row 1: plum')) })
      const to = l.seq
      l.round((r) => plant(r, 2)).round((r) => r.updateGoal('complete').says('Planted.'))
      const rounds = states(l, ['progress', 'idle replay', 'progress', 'progress'])
      return {
        log: l,
        labels: {
          rounds: rounds.map((r, i) => (i === 1 ? { ...r, also: ['progress'] } : r)),
          findings: [{ rule: 'laundered-repetition', fromSeq: from, toSeq: to }, { rule: 'call-cycle', fromSeq: from, toSeq: to, period: 1 }],
          absent: absentBut('laundered-repetition', 'call-cycle'), note: 'one file, written by the model itself, is read six times by programs of their own',
        },
      }
    },
  },
}

/** Two logs in one case: the fork spins, its origin does not. */
function forkedCase(id: (label: string) => string): Map<string, string> {
  const [originId, forkId] = [id('labelled origin'), id('labelled fork')]
  const origin = goal({ format: 4, id: originId }).rounds(2, plant)
  const fork = log({ format: 4, id: forkId, cwd: CWD, seed: origin }).command('goal', ' resume')
  const from = fork.seq + 1
  fork.rounds(3, (r) => r.says('Nothing new.'))
  const labels = {
    format: 4, sessions: [{ id: originId, path: 'origin/session.v4.jsonl' }, { id: forkId, path: 'fork/session.v4.jsonl' }],
    rounds: [...states(origin, ['progress', 'progress'], originId), ...[3, 4, 5].map((round) => ({ session: forkId, goalId: fork.goalId, round, state: 'idle', kind: 'talk-only' }))],
    findings: [{ session: forkId, rule: 'idle-rounds', fromSeq: from, toSeq: fork.seq, rounds: [3, 5] }],
    absent: [], absentIn: { [originId]: LABELLED_RULES, [forkId]: absentBut('idle-rounds', 'unreported-blocker') }, note: 'a fork that only talks, and its origin that works',
  }
  return new Map([['origin/session.v4.jsonl', origin.toText()], ['fork/session.v4.jsonl', fork.toText()], ['expected.json', pretty(labels)]])
}

/** Path below `fixtures/labelled/` → content. `id` makes session ids. */
export function labelled(id: (label: string) => string): Map<string, string> {
  const files = new Map<string, string>()
  for (const [folder, cases] of Object.entries({ answers: answerCases, goals: goalCases })) {
    for (const [name, { format, make }] of Object.entries(cases)) {
      const { log: l, labels } = make({ format, id: id(`labelled ${name}`) })
      files.set(`${folder}/${name}/${format === 0 ? 'session.jsonl' : `session.v${format}.jsonl`}`, l.toText())
      files.set(`${folder}/${name}/expected.json`, pretty({ format, ...labels }))
    }
  }
  for (const [path, text] of forkedCase(id)) files.set(`goals/fork-that-talks/${path}`, text)
  return files
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
