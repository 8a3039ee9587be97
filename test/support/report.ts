/** Reports written by hand, for everything that prints. */
import type { AnswerReport, Finding, Report, RoundReport, SessionReport } from '../../src/report/schema.ts'

const START = 1_766_000_000_000

export function answer(over: Partial<AnswerReport> = {}): AnswerReport {
  return {
    questionId: 'storage', question: 'Which storage engine should the importer use?', options: ['Postgres', 'SQLite'],
    turn: 1, step: 2, goalRound: 1, callId: 'call_a', subCallId: 'call_a:code:1', askedSeq: 167, settledSeq: 168, outerSeq: 169,
    waitMs: 1200, values: ['Postgres'], state: 'dropped', certainty: 'proven',
    evidence: [
      { kind: 'dataflow', text: 'the awaited value is not used; the program returns the literal "asked"' },
      { kind: 'replay', text: 'with any other answer the result is the same' },
    ],
    layers: {
      receipt: { seq: 168, has: true }, program: { returns: false, logs: false },
      outer: { seq: 169, has: false }, context: { visibleFrom: null, visibleTo: null },
    },
    deliveredSeq: null, reason: null, cause: null,
    fix: {
      text: 'return what the question resolves to', line: 1, verified: 'replayed',
      before: 'await tools.ask_user_question({ questions })\nreturn "asked"', after: 'return await tools.ask_user_question({ questions })',
    },
    ...over,
  }
}

export function delivered(questionId: string): AnswerReport {
  const layers = { receipt: { seq: 20, has: true }, program: { returns: true, logs: false }, outer: { seq: 21, has: true }, context: { visibleFrom: 22, visibleTo: null } }
  return answer({ questionId, question: 'Which port?', values: ['8080'], state: 'delivered', askedSeq: 19, settledSeq: 20, outerSeq: 21, deliveredSeq: 21, layers, fix: null, evidence: [{ kind: 'literal', text: 'the value stands in the outer result' }] })
}

export function round(number: number, over: Partial<RoundReport> = {}): RoundReport {
  return {
    goalId: 'goal-1', round: number, turn: number + 1, fromSeq: 100 + number * 20, toSeq: 119 + number * 20, state: 'progress', certainty: 'proven', kind: null,
    inherited: false, why: ['edited src/import.ts'], tokens: { input: 21_000, output: 640 }, ms: 61_000, ...over,
  }
}

export function finding(over: Partial<Finding> = {}): Finding {
  return {
    id: 'f1', rule: 'dropped-answer', severity: 'error', certainty: 'proven',
    text: 'The answer "Postgres" to "storage" reached the program and nobody else.', args: { questionId: 'storage' },
    at: { seq: 169, line: 170, turn: 1, step: 2 }, toSeq: null, related: [{ seq: 168, why: 'the answer arrived here' }],
    fix: 'Return the value of ask_user_question from the program.', fingerprint: '0123456789abcdef', ...over,
  }
}

export function session(over: Partial<SessionReport> = {}): SessionReport {
  return {
    source: 'runs/healthy/session.jsonl', id: 'session-e311575b-789d-4e38-8d3a-a5750a0f6dbf', format: 4, generation: 'v4', agentPreset: 'ptc', cwd: '/home/ann/app', model: 'deepseek-chat',
    parent: null, label: null, createdAt: START, delegations: [], guardsWorked: [], verdict: 'healthy', span: { fromSeq: 0, toSeq: 300, startedAt: START, endedAt: START + 600_000, openTail: false },
    counts: { events: 301, turns: 10, calls: 40, dispatches: 60, bytes: 812_000 },
    answers: [delivered('port'), delivered('host'), delivered('user')],
    goals: [{ id: 'goal-1', objective: 'Port the importer.', phase: 'complete', blockedReason: null, rounds: 9, cap: 256, idleRounds: 0, cost: { ms: 560_000, inputTokens: 180_000, outputTokens: 6000 }, createdSeq: 90, endedSeq: 299 }],
    rounds: Array.from({ length: 9 }, (_, i) => round(i + 1)),
    tools: [{ name: 'ask_user_question', calls: 3 }, { name: 'run_code', calls: 37 }],
    incidents: [], findings: [], accepted: [], notEvaluated: [{ rule: 'absent-repeat-guard', because: 'no run of identical calls' }],
    checked: ['dropped-answer', 'idle-rounds', 'unguarded-question'], issues: [], ...over,
  }
}

/** Two answers dropped, 35 of 62 rounds idle, an unguarded question beside it. */
export function stuckSession(): SessionReport {
  return session({
    source: 'runs/stuck/session.jsonl', id: 'session-80f183cd-55cd-4955-938b-e8e56160c6c6', format: 0, generation: 'v0', agentPreset: 'code', verdict: 'sick',
    span: { fromSeq: 0, toSeq: 1400, startedAt: START, endedAt: START + 4_320_000, openTail: false },
    answers: [delivered('port'), answer(), answer({ questionId: 'region', question: 'Which region?', values: ['eu-west', 'and a standby in the north'], askedSeq: 170, settledSeq: 171, outerSeq: 172, fix: null })],
    goals: [{ id: 'goal-1', objective: 'Migrate the importer to the new storage engine.', phase: 'active', blockedReason: null, rounds: 62, cap: 256, idleRounds: 35, cost: { ms: 4_200_000, inputTokens: 1_302_000, outputTokens: 39_700 }, createdSeq: 90, endedSeq: null }],
    rounds: Array.from({ length: 62 }, (_, i) =>
      i < 25 ? round(i + 1) : i < 27 ? round(i + 1, { state: 'waiting', why: ['job 3 still runs'] }) : round(i + 1, { state: 'idle', kind: i % 3 === 0 ? 'talk-only' : 'replay', why: ['same 2 calls, same results as the round before'] })),
    incidents: [{
      headline: 'Two answers of the human never reached the model, and the goal spun idle for 35 rounds waiting for them.',
      causes: ['f1', 'f2'], effects: ['f4'],
      chain: [{ finding: 'f1', seq: 169, toSeq: null, line: 170, turn: 1, round: 1, text: 'the human answered "storage" with "Postgres"; the program passed nothing of it on' }], inflection: { turn: 1, seq: 169 }, cost: { rounds: 35, ms: 2_135_000, inputTokens: 735_000, outputTokens: 22_400 },
      actions: ['Return the value of ask_user_question from the program.', 'Set the goal to blocked while a decision is missing.'],
    }],
    findings: [
      finding(),
      finding({ id: 'f2', text: 'The answer "eu-west" to "region" reached the program and nobody else.', at: { seq: 172, line: 173, turn: 1, step: 3 } }),
      finding({ id: 'f3', rule: 'unguarded-question', severity: 'warning', certainty: 'likely', text: 'A question was asked in round 1 and no guard denied it.', at: { seq: 167, line: 168, turn: 1, step: 2 }, related: [] , fix: 'Mount the guard that denies questions in goal rounds.' }),
      finding({ id: 'f4', rule: 'idle-rounds', text: 'Rounds 28 to 62 got nowhere.', at: { seq: 660, line: 661, turn: 29, step: null }, toSeq: 1359, fix: null, related: [] }),
      finding({ id: 'f5', rule: 'slow-answer', severity: 'info', text: 'A question waited 3 min.', at: { seq: 19, line: 20, turn: 0, step: 1 }, fix: null, related: [] }),
    ].map((f, i) => ({ ...f, fingerprint: `${i}123456789abcdef` })),
  })
}

/** A terminal attack and bidi overrides in every text that comes from a log, wide characters, very long words. */
export function hostileSession(): SessionReport {
  const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202Egpj.exe\r\n\u0000名前は長い名前です。🧑‍🚀🇩🇪 ' + 'x'.repeat(300)
  const place = { seq: 5, line: 6, turn: 1, step: 1 }
  return session({
    source: evil, id: evil, generation: 'v4', agentPreset: evil, model: evil, verdict: 'sick',
    answers: [answer({ questionId: evil, question: evil, options: [evil], values: [evil], evidence: [{ kind: 'literal', text: evil }], fix: { text: evil, line: 1, before: evil, after: evil, verified: 'parsed' } })],
    goals: [{ id: 'goal-1', objective: evil, phase: evil, blockedReason: { code: evil, message: evil }, rounds: 1, cap: 2, idleRounds: 0, cost: { ms: 1, inputTokens: 1, outputTokens: 1 }, createdSeq: 0, endedSeq: null }],
    rounds: [round(1, { why: [evil] })],
    incidents: [{ headline: evil, causes: ['f1'], effects: [], chain: [], inflection: { turn: 1, seq: 5 }, cost: { rounds: 0, ms: 0, inputTokens: 0, outputTokens: 0 }, actions: [evil] }],
    findings: [finding({ text: evil, fix: evil, at: place, related: [{ seq: 4, why: evil }] }), finding({ id: 'f2', severity: 'info', rule: 'slow-answer', text: evil, fix: evil, at: place })],
    notEvaluated: [{ rule: 'r', because: evil }],
    issues: [{ code: 'torn-frame', file: evil, line: 3, offset: null, seq: null, text: evil, harness: 'refuse' }],
  })
}

/** Summary as the analysis makes it: from the sessions. */
export function report(sessions: SessionReport[], failures: Report['failures'] = []): Report {
  const findings = { error: 0, warning: 0, info: 0 }
  const rounds = { progress: 0, waiting: 0, idle: 0 }
  for (const s of sessions) {
    for (const f of s.findings) findings[f.severity] += 1
    for (const r of s.rounds) rounds[r.state] += 1
  }
  const verdict = sessions.length === 0 ? 'unreadable' : findings.error > 0 ? 'sick' : findings.warning > 0 ? 'suspect' : 'healthy'
  return { schemaVersion: 1, tool: { name: 'dsh-inquest', version: '0.1.0' }, summary: { sessions: sessions.length, verdict, findings, answers: {}, rounds }, sessions, failures, rules: ruleInfos(sessions), check: null, shard: null }
}

function ruleInfos(sessions: readonly SessionReport[]): Report['rules'] {
  const byId = new Map(sessions.flatMap((s) => s.findings).map((f) => [f.rule, f]))
  return [...byId.values()].map(({ rule, severity }) => ({ id: rule, family: 'answers', severity, what: `What ${rule} reports.`, fix: `How to mend ${rule}.` })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
