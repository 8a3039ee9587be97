#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

// Logs of gigabytes are read in one pass. A heap that grows in small steps, and keeps its first room for young objects,
// costs hardly any time and needs a fifth less memory at the peak (a third on Node 24).
const keepHeapSmall = () => {
  setFlagsFromString('--heap-growing-percent=20')
  setFlagsFromString('--semi-space-growth-factor=1')
}
keepHeapSmall()
// V8 sets the second one back, for all threads, whenever a thread gets its heap.
process.on('worker', (worker) => worker.once('online', keepHeapSmall))
await import('../dist/cli/main.js')
