import type { Command } from 'commander'
import { addFindingImports } from '../import/findings/finding-import-commands.ts'
import { addGitlabImport } from '../import/gitlab/gitlab-command.ts'
import type { CommandContext } from './command-context.ts'

/** Declares `alcove import` with a command for each source. */
export function addImportCommand(program: Command, context: CommandContext): void {
  const imported = program
    .command('import')
    .summary('copy data from another server or tool')
    .description('Copies data from another server or tool to the server of ALCOVE_URL. It can be repeated.')
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExample:\n  $ alcove import gitlab --from https://gitlab.example.com --group shop --dry-run',
    )
  addGitlabImport(imported, context)
  addFindingImports(imported, context)
}
