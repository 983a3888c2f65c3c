import type { Command } from 'commander'
import type { AttachOptions } from './attach.ts'
import type { CommandContext } from './command-context.ts'
import { addConnectionOptions } from './options.ts'

const examples = `
Examples:
  $ alcove attach --project shop/api screenshot.png
  $ alcove attach --project shop/api 'coverage/*.svg' --json`

/** Declares `alcove attach`. */
export function addAttachCommand(program: Command, { io }: CommandContext): void {
  const command = program
    .command('attach')
    .summary('upload files and print their Markdown')
    .description('Uploads files to a project or group, and prints the Markdown that shows each of them.')
    .argument('<file...>', 'files, or patterns such as coverage/*.svg')
    .option('-p, --project <path>', 'full path of the project')
    .option('-g, --group <path>', 'full path of a group')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (files: string[], options: AttachOptions) => {
    const { runAttach } = await import('./attach.ts')
    await runAttach(io, files, options)
  })
}
