#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'

// Logs of gigabytes are read in one pass. A heap that is collected early costs little time, and a third less memory at the peak.
setFlagsFromString('--optimize-for-size')
await import('../dist/cli/main.js')
