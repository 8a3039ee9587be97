/** The `inquest` command: the only place that touches the process. What only some commands need is loaded when they run. */
import type { Diagnose } from './io.ts'
import { run } from './program.ts'

const diagnose: Diagnose = async (paths, options) => (await import('../diagnose.ts')).diagnose(paths, options)

/** `inquest … | head` closes the pipe early; that is no error. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

process.stdout.on('error', ignoreClosedPipe)
process.stderr.on('error', ignoreClosedPipe)

function onInterrupt(stop: () => void): () => void {
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return () => process.off('SIGINT', stop).off('SIGTERM', stop)
}

process.exitCode = await run(
  process.argv.slice(2),
  { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, env: process.env, cwd: process.cwd(), onInterrupt },
  diagnose,
)
