import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { UsageError } from '../errors.ts'
import { CONFIG_FILE, type Config } from './config.ts'
import type { Io } from './io.ts'
import { writeAtomically } from './output.ts'

const START: Config = {
  $schema: './node_modules/dsh-inquest/dist/config.schema.json',
  logs: ['runs'],
  failOn: 'error',
  rules: {},
  max: {},
  assert: ['answers.dropped == 0'],
}

export function addInit(program: Command, io: Io): void {
  program
    .command('init')
    .description(`write a first ${CONFIG_FILE} for check`)
    .action(() => {
      const path = resolve(io.cwd, CONFIG_FILE)
      if (existsSync(path)) throw new UsageError(`${CONFIG_FILE} exists already`)
      writeAtomically(path, `${JSON.stringify(START, null, 2)}\n`)
      io.stdout.write(`${CONFIG_FILE} written: set logs to where your recorded runs are, then run inquest check\n`)
    })
}
