import { type Command, Option } from 'commander'
import { formatNames } from '../formats/format-names.ts'
import type { CommandContext } from './command-context.ts'
import { addConnectionOptions, choice, collectWhole, parseSeconds } from './options.ts'
import type { UploadCommandOptions } from './upload.ts'

const examples = `
In CI, project, branch, commit and target branch come from the environment (GitLab CI, GitHub Actions, Gitea and Forgejo
Actions, Jenkins, Woodpecker, Azure Pipelines, Bitbucket Pipelines).

Examples:
  $ alcove upload trivy.json semgrep.json --fail-on 'new:high,any:critical'
  $ alcove upload 'reports/**/*.sarif' --category '{file}'
  $ alcove upload trivy.json --format codequality --output gl-code-quality-report.json
  $ alcove upload --project shop/api --ref main --dry-run report.json.gz

A policy is a list of rules. A rule is new, known or any, a colon, and the least severity that fails: critical, high,
medium, low, unknown or info. New findings are on this ref and not on the target ref.`

const defaultWaitSeconds = 900

/** Declares `alcove upload`. */
export function addUploadCommand(program: Command, { io, finish }: CommandContext): void {
  const parseFormat = choice(formatNames)
  const command = program
    .command('upload')
    .summary('send reports of scanners and check a policy')
    .description('Sends reports of scanners, waits until they are imported, and compares the ref with its target.')
    .argument('<file...>', 'reports, plain or gzipped; patterns such as reports/*.json')
    .option('-p, --project <path>', 'full path of the project; it is created if it does not exist')
    .option('--ref <ref>', 'branch or tag that was scanned (default: of the CI job, or the default branch)')
    .option('--target-ref <ref>', 'ref to compare with (default: of the merge request, or the default branch)')
    .option('--category <name>', 'part of the ref that the reports cover, such as an image; {file} is the path of each')
    .option('--commit <sha>', 'commit that was scanned')
    .option('--report-type <type>', 'type of the reports, when they do not state it')
    .option('--mapping <mapping>', 'mapping of generic CSV and JSON: the name of a stored one, or JSON')
    .option('--fail-on <policy>', "policy of the gate, such as 'new:high,any:critical'")
    .option('--dry-run', 'compare one report without storing anything')
    .option('--allow-unreachable', 'exit with 0 and a warning when the server is unreachable')
    .option('--note', 'create or update one note on the merge or pull request')
    .option('--no-project-files', 'leave out CODEOWNERS, alcove.yml and ignore files of scanners')
    .option('--wait <seconds>', 'how long to wait for one import', parseSeconds, defaultWaitSeconds)
    .addOption(
      new Option('--format <format>', `output format, repeatable: ${formatNames.join(', ')}`)
        .argParser((text: string, previous: string[] = []) => [...previous, parseFormat(text)])
        .default([], 'text'),
    )
    .option('--output <file>', 'file for the format before it, repeatable (default: standard output)', collectWhole, [])
    .option('--json', 'the same as --format json')
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (files: string[], options: UploadCommandOptions) => {
    const { runUpload } = await import('./upload.ts')
    finish(await runUpload(io, files, options))
  })
}
