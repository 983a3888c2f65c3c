import type { Command } from 'commander'
import type { CommandContext } from '../../commands/command-context.ts'
import { addConnectionOptions } from '../../commands/options.ts'
import type { Io } from '../../io.ts'
import type { DefectDojoOptions } from '../defectdojo/defectdojo.ts'
import type { DependencyTrackOptions } from '../dependency-track/dependency-track.ts'
import type { GithubOptions } from '../github/github.ts'
import type { SecObserveOptions } from '../secobserve/secobserve.ts'
import type { FindingImportOptions } from './import-findings.ts'
import type { FindingSource } from './record.ts'
import type { SourceLocation } from './source-location.ts'

interface ImportedProduct<Options> {
  command: string
  name: string
  variable: string
  /** What the file contains. */
  file: string
  from?: string
  options: readonly (readonly [flags: string, description: string])[]
  example: string
  open(io: Io, options: Options): Promise<FindingSource>
}

/** Declares the commands that import findings with their decisions from other products. */
export function addFindingImports(imported: Command, context: CommandContext): void {
  addCsvImport(imported, context)
  addImport<DefectDojoOptions>(imported, context, {
    command: 'defectdojo',
    name: 'DefectDojo',
    variable: 'DEFECTDOJO_TOKEN',
    file: 'responses of /api/v2/findings/',
    options: [['--product <product>', 'name or id of the product']],
    example: '--from https://dojo.example.com --product "Shop API"',
    open: async (io, options) => (await import('../defectdojo/defectdojo.ts')).openDefectDojo(io, options),
  })
  addImport<DependencyTrackOptions>(imported, context, {
    command: 'dependency-track',
    name: 'Dependency-Track',
    variable: 'DTRACK_TOKEN',
    file: 'exported findings',
    options: [['--source-project <uuid>', 'UUID of the project of Dependency-Track']],
    example: '--from https://dtrack.example.com --source-project 7f6c1f5e-0000-4000-8000-000000000000',
    open: async (io, options) =>
      (await import('../dependency-track/dependency-track.ts')).openDependencyTrack(io, options),
  })
  addImport<GithubOptions>(imported, context, {
    command: 'github',
    name: 'GitHub',
    variable: 'GITHUB_TOKEN',
    file: 'alerts of code scanning, Dependabot and secret scanning',
    from: 'https://api.github.com',
    options: [['--repository <name>', 'full name of the repository, such as acme/shop']],
    example: '--repository acme/shop',
    open: async (io, options) => (await import('../github/github.ts')).openGithub(io, options),
  })
  addImport<SecObserveOptions>(imported, context, {
    command: 'secobserve',
    name: 'SecObserve',
    variable: 'SECOBSERVE_TOKEN',
    file: 'responses of /api/observations/',
    options: [['--product <id>', 'id of the product']],
    example: '--from https://secobserve.example.com --product 3',
    open: async (io, options) => (await import('../secobserve/secobserve.ts')).openSecObserve(io, options),
  })
}

/** Declares `alcove import csv`, which has a file only. */
function addCsvImport(imported: Command, { io }: CommandContext): void {
  const command = imported
    .command('csv')
    .summary('import an export of Alcove, or a list in CSV')
    .description(
      'Imports an export of Alcove (CSV or JSON) with all decisions and comments, or a CSV file with columns of its names, ' +
        'of which Vulnerability is required.',
    )
    .option('-p, --project <path>', 'full path of the project')
    .requiredOption('--file <file>', 'file to import')
    .option('--dry-run', 'print what would be imported, and what has no counterpart, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ alcove import csv --project shop/api --file vulnerabilities.csv --dry-run')
  addConnectionOptions(command).action(async (options: FindingImportOptions & { file: string }) => {
    const { openCsv } = await import('../csv/csv.ts')
    const { importFindings } = await import('./import-findings.ts')
    await importFindings(io, await openCsv(io, options.file), options)
  })
}

function addImport<Options extends SourceLocation & FindingImportOptions>(
  imported: Command,
  { io }: CommandContext,
  { command: word, name, variable, file, from, options, example, open }: ImportedProduct<Options>,
): void {
  const command = imported
    .command(word)
    .summary(`import findings with decisions from ${name}`)
    .description(
      `Imports findings from ${name} with their states, reasons, ends, comments, assignees and links into a project. ` +
        'The next report of a scanner recognises them. Decisions that users have made in Alcove stay.',
    )
    .option('-p, --project <path>', 'full path of the project of Alcove')
    .option('--from <url>', `address of ${name}${from ? ` (default: ${from})` : ''}`)
    .option('--token <token>', `token of ${name} (default: ${variable})`)
    .option('--file <file>', `file with ${file}, in place of --from`)
  for (const [flags, description] of options) command.option(flags, description)
  command
    .option('--dry-run', 'print what would be imported, and what has no counterpart, and change nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  $ alcove import ${word} --project shop/api ${example} --dry-run`)
  addConnectionOptions(command).action(async (given: Options) => {
    const { assertLocation } = await import('./source-location.ts')
    const { importFindings } = await import('./import-findings.ts')
    const location = { ...given, ...(given.from === undefined && given.file === undefined && { from }) }
    assertLocation(location)
    await importFindings(io, await open(io, location), location)
  })
}
