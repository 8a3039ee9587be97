/** One measured piece of work in a process of its own: `node task.js TASK FILE` prints `{ ms, cpuMs, peakBytes, note }`, below what the task prints itself. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { ByteReader } from '../../src/decode/byte-reader.ts'
import { decodeLog } from '../../src/decode/decode.ts'
import { FrameDecoder } from '../../src/decode/frames.ts'
import { fileBytes } from '../../src/source/open.ts'

/** As it is installed: it sets up V8. */
const COMMAND = '../../bin/inquest.js'

const tasks: Readonly<Record<string, (path: string) => Promise<string>>> = {
  readline: async (path) => {
    let rows = 0
    const lines = createInterface({ input: createReadStream(path) })
    lines.on('line', (line) => {
      JSON.parse(line)
      rows += 1
    })
    await new Promise((resolve) => { lines.once('close', resolve) })
    return `${rows} rows`
  },
  ndjson: async (path) => {
    const { default: ndjson } = await import('ndjson')
    let rows = 0
    for await (const row of createReadStream(path).pipe(ndjson.parse())) if (row !== null) rows += 1
    return `${rows} rows`
  },
  duckdb: async (path) => {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const connection = await (await DuckDBInstance.create()).connect()
    const sql = `select count(*) from read_json('${path}', format = 'newline_delimited', columns = {type: 'VARCHAR', seq: 'BIGINT'}, maximum_object_size = 268435456)`
    return `${String((await connection.runAndReadAll(sql)).getRows()[0]?.[0])} rows`
  },
  decoder: async (path) => {
    let size = 0
    const frames = new FrameDecoder(new ByteReader(fileBytes(path, path)))
    for await (const piece of frames.pieces(() => false)) {
      if (!(piece instanceof Uint8Array)) continue
      size += piece.length
      frames.reuse(piece.buffer)
    }
    return `${size} bytes of text`
  },
  reader: async (path) => {
    let events = 0
    let issues = 0
    await decodeLog(fileBytes(path, path), path, { header() {}, event() { events += 1 }, issue() { issues += 1 } })
    return `${events} events, ${issues} issues`
  },
  inspect: async (path) => {
    process.argv.splice(2, Infinity, 'inspect', '--quiet', path)
    await import(COMMAND)
    process.exitCode = 0
    return ''
  },
}

const [, , name = '', path = ''] = process.argv
const task = tasks[name]
if (!task) throw new Error(`no task ${name}`)
const start = performance.now()
const before = process.cpuUsage()
const note = await task(path)
const ms = performance.now() - start
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, peakBytes: process.resourceUsage().maxRSS * 1024, note }))
