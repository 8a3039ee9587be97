import type { Worker } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ByteReader } from '../../src/decode/byte-reader.ts'
import { FrameDecoder, type Piece } from '../../src/decode/frames.ts'
import { FrameThread } from '../../src/decode/frames-thread.ts'
import { IssueLog } from '../../src/decode/issues.ts'
import { decodeText } from '../../src/decode/text.ts'
import { zstdFrame } from '../support/zstd.ts'

const MB = 1024 * 1024
const lines = (size: number, mark: string): string => `${mark} ${'x'.repeat(61)}\n`.repeat(Math.ceil(size / 64))

async function* chunks(bytes: Uint8Array, size = 65_536, pause = 0): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
    if (pause > 0) await sleep(pause)
  }
}

/** Texts between issues, however they were cut. */
async function joined(pieces: AsyncIterable<Piece>): Promise<unknown[]> {
  const told: unknown[] = []
  for await (const piece of pieces) {
    const last = told.at(-1)
    if (!(piece instanceof Uint8Array)) told.push(piece)
    else if (typeof last === 'string') told[told.length - 1] = last + Buffer.from(piece).toString('latin1')
    else told.push(Buffer.from(piece).toString('latin1'))
  }
  return told
}

const flipped = (bytes: Buffer, at: number): Buffer => {
  const damaged = Buffer.from(bytes)
  damaged[at] = (damaged[at] ?? 0) ^ 1
  return damaged
}

/** All threads that were started. */
const started: Worker[] = []
const remember = (worker: Worker): void => void started.push(worker)
beforeEach(() => {
  started.length = 0
  process.on('worker', remember)
})
afterEach(() => {
  process.off('worker', remember)
  // Node's way to say that a thread is over.
  expect(started.map(({ threadId }) => threadId)).toEqual(started.map(() => -1))
})

async function withThread<T>(use: (thread: FrameThread) => Promise<T>): Promise<T> {
  const thread = new FrameThread()
  try {
    while (!thread.isReady()) await sleep(5)
    return await use(thread)
  } finally {
    await thread.close()
  }
}

describe('a decoding thread', () => {
  const head = lines(100, 'header')
  const frames = async (): Promise<Record<string, Buffer>> => {
    const many = await Promise.all(Array.from({ length: 400 }, async (_, i) => zstdFrame(lines(4096, `frame ${i}`))))
    const whole = Buffer.concat([await zstdFrame(head), ...many])
    const long = await zstdFrame(lines(9 * MB, 'long'))
    const [one] = many
    return {
      whole,
      long,
      torn: Buffer.concat([whole, long.subarray(0, 8.5 * MB)]),
      'bad-checksum': Buffer.concat([whole, flipped(one ?? whole, (one?.length ?? 0) - 1), whole, flipped(long, long.length - 1), whole]),
      'unterminated': Buffer.concat([whole, await zstdFrame('half a row'), whole]),
      'bad-frame': Buffer.concat([whole, Buffer.from('no frame at all'), whole]),
      'skippable': Buffer.concat([whole, Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]), whole, Buffer.from([0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1])]),
      'empty': Buffer.alloc(0),
    }
  }

  it('tells the same text and issues, in the same order, as decoding without one', async () => {
    for (const [name, bytes] of Object.entries(await frames())) {
      const here = await joined(new FrameDecoder(new ByteReader(chunks(bytes), 5000), 7).pieces(() => false))
      const there = await withThread(async (thread) => joined(thread.pieces(new ByteReader(chunks(bytes, 100_000), 5000), 7)))
      expect(there.length, name).toBe(here.length)
      for (const [i, piece] of here.entries()) expect(there[i] === piece || JSON.stringify(there[i]) === JSON.stringify(piece), `${name}, piece ${i}`).toBe(true)
    }
  })

  it('counts the text that was decoded before, when it looks for too much of it', async () => {
    const bytes = await zstdFrame(head)
    const found = await withThread(async (thread) => joined(thread.pieces(new ByteReader(chunks(bytes)), 1e9)))
    expect(found).toMatchObject([{ code: 'bad-frame', text: expect.stringContaining('unfold') }])
  })

  it('ends when nobody wants more', async () => {
    const bytes = await zstdFrame(lines(9 * MB, 'long'))
    await withThread(async (thread) => {
      for await (const piece of thread.pieces(new ByteReader(chunks(bytes)), 0)) {
        expect(piece).toBeInstanceOf(Uint8Array)
        break
      }
    })
    expect(started).toHaveLength(1)
  })

  it('may be closed before it has started', async () => {
    await new FrameThread().close()
    expect(started).toHaveLength(1)
  })

  it('lets errors of the file through', async () => {
    const bytes = await zstdFrame(lines(3 * MB, 'long'))
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield* chunks(bytes.subarray(0, 2 * MB))
      throw new Error('the disk is gone')
    }
    await expect(withThread(async (thread) => joined(thread.pieces(new ByteReader(broken()), 0)))).rejects.toThrow('the disk is gone')
  })

  it('is an error when it ends early', async () => {
    const bytes = await zstdFrame(lines(9 * MB, 'long'))
    const read = withThread(async (thread) => {
      for await (const _ of thread.pieces(new ByteReader(chunks(bytes)), 0)) await started[0]?.terminate()
    })
    await expect(read).rejects.toThrow('the decoding thread was stopped')
  })
})

describe('a long zstd log', () => {
  const log = async (): Promise<Buffer> => Buffer.concat(await Promise.all(Array.from({ length: 60 }, async (_, i) => zstdFrame(lines(200_000, `frame ${i}`)))))
  const read = async (bytes: Buffer, enough = Infinity): Promise<string> => {
    const issues: string[] = []
    const parts: Buffer[] = []
    for await (const part of decodeText(chunks(bytes, 65_536, 4), 'log', new IssueLog('log', (issue) => issues.push(`${issue.code} ${issue.offset}`)))) {
      parts.push(Buffer.from(part))
      if (parts.length >= enough) break
    }
    return Buffer.concat(parts).toString('latin1') + issues.join()
  }

  it('is handed over to a thread between two frames', async () => {
    const whole = await log()
    const lastFrame = whole.length
    const bytes = Buffer.concat([whole, (await zstdFrame(lines(20_000, 'last'))).subarray(0, -1000)])
    const there = await read(bytes)
    expect(started).toHaveLength(1)
    const [text] = await joined(new FrameDecoder(new ByteReader(chunks(bytes))).pieces(() => false))
    expect(there === `${String(text)}torn-frame ${lastFrame}`).toBe(true)
  })

  it('leaves no thread behind when its reader has enough', async () => {
    const bytes = await log()
    for (const enough of [1, 40, 60]) await read(bytes, enough)
    expect(started.length).toBeGreaterThan(0)
  })

  it('is not worth a thread when it is short', async () => {
    await read((await log()).subarray(0, 3 * MB))
    expect(started).toEqual([])
  })
})
