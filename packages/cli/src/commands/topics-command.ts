import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addConnectionOptions, choice } from './options.ts'

const fileFormats = ['yaml', 'json'] as const

/** Declares `alcove topics` and its commands. */
export function addTopicsCommand(program: Command, { io }: CommandContext): void {
  const load = () => import('./topics.ts')
  const topics = program
    .command('topics')
    .summary('list, assign, export and import topics')
    .description('Lists topics, assigns them to projects, and keeps them in a file.')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ alcove topics list --search java\n  $ alcove topics import topics.yaml --dry-run',
    )

  const list = topics.command('list').description('Lists the topics of the server with their number of projects.')
  list.option('--search <text>', 'part of the name').option('--json', 'print JSON')
  list.addHelpText('after', '\nExample:\n  $ alcove topics list --search java')
  addConnectionOptions(list).action(async (options) => (await load()).runTopicList(io, options))

  const show = topics.command('show').description('Prints the topics of a project.')
  show.option('-p, --project <path>', 'full path of the project').option('--json', 'print JSON')
  show.addHelpText('after', '\nExample:\n  $ alcove topics show --project shop/api')
  addConnectionOptions(show).action(async (options) => (await load()).runTopicAssign(io, undefined, options))

  const set = topics.command('set').description('Replaces the topics of a project.').argument('[name...]', 'topics')
  set.option('-p, --project <path>', 'full path of the project').option('--json', 'print JSON')
  set.addHelpText('after', '\nExample:\n  $ alcove topics set --project shop/api java payments')
  addConnectionOptions(set).action(async (names: string[], options) =>
    (await load()).runTopicAssign(io, names, options),
  )

  const exported = topics.command('export').description('Writes all topics with their aliases.')
  exported.option('--format <format>', fileFormats.join(', '), choice(fileFormats), 'yaml')
  exported.option('-o, --output <file>', 'file to write (default: standard output)').option('--json', 'write JSON')
  exported.addHelpText('after', '\nExample:\n  $ alcove topics export --output topics.yaml')
  addConnectionOptions(exported).action(async (options) => (await load()).runTopicExport(io, options))

  const imported = topics.command('import').description('Creates and changes topics so that they equal a file.')
  imported.argument('<file>', 'file of alcove topics export').option('--dry-run', 'print the changes only')
  imported.option('--prune', 'delete the topics that are not in the file').option('--json', 'print JSON (always)')
  imported.addHelpText('after', '\nExample:\n  $ alcove topics import topics.yaml --prune --dry-run')
  addConnectionOptions(imported).action(async (file: string, options) =>
    (await load()).runTopicImport(io, file, options),
  )
}
