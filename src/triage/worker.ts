/** A thread that judges logs which no other has taken, until there are none left. */
import { parentPort, workerData } from 'node:worker_threads'
import { fileBytes } from '../source/open.ts'
import { createJudge } from './judge.ts'
import { take, type Work } from './work.ts'

const { jobs, takenBy, replay, self }: Work = workerData
const { judge, close } = createJudge(replay)
for (const { place, log, file } of jobs) {
  if (take(takenBy, place, self)) parentPort?.postMessage({ place, outcome: await judge({ ...log, open: () => fileBytes(file, log.name) }) })
}
await close()
