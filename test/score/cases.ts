/** Labelled cases: folders of logs whose `expected.json` says what is to be found in them. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { answerStates, idleKinds, roundStates } from '../../src/facts/vocabulary.ts'

/** Labels that a case does not give are left open, but for `answers` and `rounds`: all of a log are labelled, or none. */
const labels = z.object({
  /** One per question item, in log order. `also`: states that are right as well. */
  answers: z.array(z.object({
    callId: z.string(), subCallId: z.string().nullable(), questionId: z.string(),
    state: z.enum(answerStates), also: z.array(z.enum(answerStates)).default([]), reason: z.string().optional(), deliveredSeq: z.number().nullable(),
  })).default([]),
  rounds: z.array(z.object({
    session: z.string().optional(), goalId: z.string(), round: z.number(),
    state: z.enum(roundStates), also: z.array(z.enum(roundStates)).default([]), kind: z.enum(idleKinds).optional(),
  })).default([]),
  /** Agrees with a finding of the rule whose row lies between the two. */
  findings: z.array(z.object({ session: z.string().optional(), rule: z.string(), fromSeq: z.number(), toSeq: z.number() })).default([]),
  /** Rules that must find nothing; by session, where a case has several. */
  absent: z.array(z.string()).default([]),
  absentIn: z.record(z.string(), z.array(z.string())).default({}),
  /** The labels of a session carry its id. Without: the case is one log. */
  sessions: z.array(z.object({ id: z.string() })).optional(),
  note: z.string(),
})
export type Labels = z.infer<typeof labels>

export interface Case {
  readonly name: string
  readonly folder: string
  readonly labels: Labels
}

/** Every case below these folders, by path. */
export async function readCases(folders: readonly string[]): Promise<Case[]> {
  const cases: Case[] = []
  for (const root of folders) {
    const paths = await readdir(root, { recursive: true })
    for (const path of paths.filter((p) => basename(p) === 'expected.json').toSorted()) {
      const folder = join(root, path, '..')
      cases.push({ name: basename(folder), folder, labels: labels.parse(JSON.parse(await readFile(join(root, path), 'utf8'))) })
    }
  }
  return cases
}
