import type { Command } from 'commander'
import type { CommandContext } from '../../commands/command-context.ts'
import { addConnectionOptions, collect } from '../../commands/options.ts'
import type { GitlabImportOptions } from './import-gitlab.ts'

const examples = `
Examples:
  $ alcove import gitlab --from https://gitlab.example.com --group shop --dry-run
  $ alcove import gitlab --from https://gitlab.example.com --group shop --resume

The token of the source is GITLAB_TOKEN or --token. That of the target, ALCOVE_TOKEN, must belong to an administrator.
Exit codes: 0 everything was copied, 1 the report lists what was not, 2 wrong usage, 3 a server is unreachable.`

/** Declares `alcove import gitlab`. */
export function addGitlabImport(imported: Command, { io, finish }: CommandContext): void {
  const command = imported
    .command('gitlab')
    .summary('copy groups and projects from GitLab or another Alcove server')
    .description(
      'Copies users, groups, projects, members, uploads, topics and vulnerabilities from GitLab or another Alcove server. A repeated import copies what has changed.',
    )
    .requiredOption('--from <url>', 'address of the source')
    .option('--token <token>', 'token of the source with the scope read_api (default: GITLAB_TOKEN)')
    .option('-g, --group <path>', 'full path of a group of the source; may be repeated (default: all)', collect)
    .option('--dry-run', 'print what would be copied and change nothing')
    .option('--resume', 'skip what an interrupted import has copied')
    .option('--state <file>', 'file with the progress for --resume (default: in the state folder of the user)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (options: GitlabImportOptions) => {
    const { runGitlabImport } = await import('./import-gitlab.ts')
    finish(await runGitlabImport(io, options))
  })
}
