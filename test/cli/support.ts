import { Readable } from 'node:stream'
import type { DiagnoseOptions } from '../../src/diagnose.ts'
import type { Diagnose, Io } from '../../src/cli/io.ts'
import { run } from '../../src/cli/program.ts'
import type { Report } from '../../src/report/schema.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** What the analysis was asked for; empty when it was not. */
  readonly asked: readonly { readonly paths: readonly string[]; readonly options: DiagnoseOptions }[]
}

/** Runs a command line over an analysis that gives `report` (or throws it). */
export async function inquest(argv: readonly string[], report: Report | Error, over: Partial<Io> = {}): Promise<Ran> {
  let out = ''
  let err = ''
  const asked: { paths: readonly string[]; options: DiagnoseOptions }[] = []
  const diagnose: Diagnose = async (paths, options) => {
    asked.push({ paths, options })
    if (report instanceof Error) throw report
    return report
  }
  const io: Io = { stdout: { write: (text) => { out += text } }, stderr: { write: (text) => { err += text } }, stdin: Readable.from([]), env: {}, cwd: process.cwd(), onInterrupt: () => () => undefined, ...over }
  const code = await run(argv, io, diagnose)
  return { code, out, err, asked }
}
