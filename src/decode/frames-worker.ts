/** The thread that decodes the frames of one log. It works ahead until as many batches wait as may wait. */
import { workerData, type MessagePort } from 'node:worker_threads'
import { ByteReader } from './byte-reader.ts'
import { FrameDecoder } from './frames.ts'
import { BATCHES_AHEAD, type FromDecoder, type ToDecoder } from './frames-thread.ts'

const port = workerData as MessagePort
const chunks: (Uint8Array | null)[] = []
let decoder: FrameDecoder | null = null
let room = BATCHES_AHEAD
let wake = (): void => {}

port.on('message', (message: ToDecoder) => {
  if (message instanceof ArrayBuffer) {
    room += 1
    decoder?.reuse(message)
  } else if (message === null || message instanceof Uint8Array) chunks.push(message)
  else void decode((decoder = new FrameDecoder(new ByteReader(arriving(), message.offset), message.textBytes)))
  wake()
})
send('ready')

async function decode(frames: FrameDecoder): Promise<void> {
  for await (const piece of frames.pieces(() => false)) {
    if (piece instanceof Uint8Array) {
      await until(() => room > 0)
      room -= 1
    }
    send(piece)
  }
  send('end')
}

async function* arriving(): AsyncGenerator<Uint8Array> {
  for (;;) {
    await until(() => chunks.length > 0)
    const chunk = chunks.shift() ?? null
    if (chunk === null) return
    send('more')
    yield chunk
  }
}

async function until(done: () => boolean): Promise<void> {
  while (!done()) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
}

function send(message: FromDecoder): void {
  port.postMessage(message, message instanceof Uint8Array ? [message.buffer] : [])
}
