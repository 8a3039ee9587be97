/**
 * Decoding of zstd beside the scanning of rows: the only place where reading one log uses a second thread. This thread
 * reads the file and decodes, as it does without help, until the other one has started; then, between two frames, it
 * hands over and only sends bytes and receives text. So nothing is waited for, and a thread that cannot start is not missed.
 */
import { availableParallelism } from 'node:os'
import { isMainThread, MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads'
import type { ByteReader } from './byte-reader.ts'
import { FrameDecoder, type Piece } from './frames.ts'
import type { IssueLog } from './issues.ts'

/** Shorter logs are read before a thread has started. */
const LONG_LOG = 4 * 1024 * 1024
/** Sent ahead of the text that comes back: so much is in flight at most, beside the batches. */
const CHUNK_BYTES = 256 * 1024
const CHUNKS_AHEAD = 4
/** Batches of text that may wait to be scanned. */
export const BATCHES_AHEAD = 4

/** To the thread: where it begins, bytes of the log (`null`: there are no more), and buffers of text that was scanned. */
export type ToDecoder = { readonly offset: number; readonly textBytes: number } | Uint8Array<ArrayBuffer> | null | ArrayBuffer
export type FromDecoder = 'ready' | Piece | 'more' | 'end'

/** Decodes to the text of the log. A batch of text is good until the next one is asked for. A live log is decoded here: the other thread is sent bytes ahead. */
export async function* decodeFrames(input: ByteReader, issues: IssueLog, isLive: boolean): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesOf(input, isLive)) {
    if (piece instanceof Uint8Array) yield piece
    else issues.add(piece.code, { offset: piece.offset }, piece.text, piece.harness)
  }
}

async function* piecesOf(input: ByteReader, isLive: boolean): AsyncGenerator<Piece> {
  const here = new FrameDecoder(input)
  // Where logs are read in threads of their own, all cores are at work.
  const alone = !isLive && isMainThread && availableParallelism() > 1
  let thread: FrameThread | null = null
  try {
    const isHandedOver = (): boolean => {
      if (alone && input.offset > LONG_LOG) thread ??= new FrameThread()
      return thread?.isReady() ?? false
    }
    for await (const piece of here.pieces(isHandedOver)) {
      yield piece
      if (piece instanceof Uint8Array) here.reuse(piece.buffer)
    }
    if (thread && !here.isOver) yield* (thread as FrameThread).pieces(input, here.textBytes)
  } finally {
    await (thread as FrameThread | null)?.close()
  }
}

export class FrameThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #arrived: FromDecoder[] = []
  #failure: Error | null = null
  #wake = (): void => {}
  #ready = false

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    // Tests run the sources: threads cannot, so theirs comes from the build.
    const file = import.meta.url.endsWith('.ts') ? '../../dist/decode/frames-worker.js' : './frames-worker.js'
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: port2, transferList: [port2], env: {}, execArgv: [] })
    this.#worker.on('error', (error) => this.#fail(error)).on('exit', () => this.#fail(new Error('the decoding thread was stopped')))
  }

  /** Asked while this thread never waits: so messages are fetched. */
  isReady(): boolean {
    this.#ready ||= receiveMessageOnPort(this.#port)?.message === 'ready'
    return this.#ready
  }

  /** The rest of the log. */
  async *pieces(input: ByteReader, textBytes: number): AsyncGenerator<Piece> {
    this.#port.on('message', (message: FromDecoder) => {
      this.#arrived.push(message)
      this.#wake()
    })
    this.#send({ offset: input.offset, textBytes })
    for (let i = 0; i < CHUNKS_AHEAD; i += 1) await this.#sendBytes(input)
    for (;;) {
      const message = await this.#next()
      if (message === 'end') return
      if (message === 'more') await this.#sendBytes(input)
      else if (message !== 'ready') {
        yield message
        if (message instanceof Uint8Array) this.#send(message.buffer)
      }
    }
  }

  async close(): Promise<void> {
    this.#port.close()
    await this.#worker.terminate()
  }

  async #next(): Promise<FromDecoder> {
    for (;;) {
      for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) this.#arrived.push(next.message as FromDecoder)
      const first = this.#arrived.shift()
      if (first !== undefined) return first
      if (this.#failure) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async #sendBytes(input: ByteReader): Promise<void> {
    await input.has(CHUNK_BYTES)
    const bytes = Uint8Array.from(input.take(input.held.length))
    this.#send(bytes.length === 0 ? null : bytes)
  }

  #send(message: ToDecoder): void {
    this.#port.postMessage(message, message instanceof ArrayBuffer ? [message] : message instanceof Uint8Array ? [message.buffer] : [])
  }

  #fail(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }
}
