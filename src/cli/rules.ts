import type { Command } from 'commander'
import { rules } from '../rules/index.ts'
import { cut, pad } from '../reporters/format.ts'
import type { Io } from './io.ts'
import { terminalOptions } from './terminal.ts'

export function addRules(program: Command, io: Io): void {
  program
    .command('rules')
    .description('list all rules')
    .action(() => {
      const { width } = terminalOptions(io, 'never', 'normal')
      const idWidth = Math.max(...rules.map(({ id }) => id.length))
      for (const { id, family, severity, docs } of rules) {
        io.stdout.write(`${cut(`${pad(id, idWidth)}  ${pad(severity, 7)}  ${pad(family, 9)}  ${docs.what}`, Math.max(width, idWidth + 40))}\n`)
      }
    })
}
