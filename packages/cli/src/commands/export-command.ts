import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import type { ExportOptions } from './export.ts'
import { addConnectionOptions, choice, parseSeconds } from './options.ts'

const formats = ['csv', 'json', 'sarif', 'openvex', 'cyclonedx', 'csaf', 'html'] as const

const examples = `
Examples:
  $ alcove export --project shop/api --output vulnerabilities.csv
  $ alcove export --group shop --format json | jq length
  $ alcove export --project shop/api --format sarif --output vulnerabilities.sarif`

const defaultWaitSeconds = 900

/** Declares `alcove export`. */
export function addExportCommand(program: Command, { io }: CommandContext): void {
  const command = program
    .command('export')
    .summary('write vulnerabilities to a file')
    .description('Writes all vulnerabilities of a project or group as CSV, JSON, SARIF, VEX or an HTML report.')
    .option('-p, --project <path>', 'full path of the project')
    .option('-g, --group <path>', 'full path of a group')
    .option('--format <format>', formats.join(', '), choice(formats), 'csv')
    .option('-o, --output <file>', 'file to write (default: standard output)')
    .option('--wait <seconds>', 'how long to wait for the server', parseSeconds, defaultWaitSeconds)
    .option('--json', 'print what was exported as JSON')
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (options: ExportOptions) => {
    const { runExport } = await import('./export.ts')
    await runExport(io, options)
  })
}
