import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../../commands/command-context.ts'
import { addConnectionOptions, collect } from '../../commands/options.ts'
import { wrongUsage } from '../../exit.ts'
import type { MirrorOptions } from '../mirror/mirror-gitlab.ts'

const examples = `
Examples:
  $ alcove import gitlab --from https://gitlab.example.com --group shop --dry-run
  $ alcove import gitlab --from https://gitlab.example.com --group shop --resume
  $ alcove import gitlab --from https://gitlab.example.com --group shop --mirror --delete-after 30

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
    .option('--mirror', 'repeat the import until the command is stopped; the copies refuse local changes')
    .option('--interval <seconds>', 'with --mirror: time between two copies', positive, 300)
    .addOption(
      new Option('--local-changes <which>', 'with --mirror: what users may change in the copies')
        .choices(['none', 'triage', 'all'])
        .default('triage'),
    )
    .option(
      '--delete-after <days>',
      'with --mirror: delete what has been missing in the source for so long (default: keep it)',
      positive,
    )
    .option(
      '--listen <address>',
      'with --mirror: loopback address for webhooks of the source, whose secret is ALCOVE_MIRROR_SECRET',
    )
    .option('--rounds <number>', 'with --mirror: end after so many copies (default: never)', positive)
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (options: MirrorOptions & { mirror?: boolean }) => {
    if (options.mirror) {
      const { runMirror } = await import('../mirror/mirror-gitlab.ts')
      return finish(await runMirror(io, options))
    }
    const given = ['deleteAfter', 'listen', 'rounds'].filter((name) => name in options)
    if (given.length > 0) throw wrongUsage('--delete-after, --listen and --rounds need --mirror.')
    const { runGitlabImport } = await import('./import-gitlab.ts')
    finish(await runGitlabImport(io, options))
  })
}

function positive(text: string): number {
  const number = Number(text)
  if (!(number > 0 && Number.isFinite(number))) throw new InvalidArgumentError('It must be a positive number.')
  return number
}
