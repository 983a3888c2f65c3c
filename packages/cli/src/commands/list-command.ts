import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import type { ListOptions } from './list.ts'
import { addConnectionOptions, collect, parseCount } from './options.ts'

const examples = `
Examples:
  $ alcove list --project shop/api --severity critical,high --state detected
  $ alcove list --group shop --search log4j --json
  $ alcove list --project shop/api --ref feature/login --not-on main
  $ alcove list --project shop/api --findings --limit 500`

const defaultLimit = 50

/** Declares `alcove list`. */
export function addListCommand(program: Command, { io }: CommandContext): void {
  const command = program
    .command('list')
    .summary('list vulnerabilities or findings')
    .description('Lists the vulnerabilities of a project or group, the most severe first.')
    .option('-p, --project <path>', 'full path of the project')
    .option('-g, --group <path>', 'full path of a group: lists its projects')
    .option('--findings', 'list findings, also those that were not promoted to vulnerabilities')
    .option('--state <states>', 'detected, confirmed, resolved, dismissed', collect, [])
    .option('--severity <severities>', 'critical, high, medium, low, unknown, info', collect, [])
    .option('--report-type <types>', 'such as sast or container_scanning', collect, [])
    .option('--scanner <ids>', 'such as semgrep', collect, [])
    .option('--identifier <names>', 'such as CVE-2021-44228', collect, [])
    .option('--search <text>', 'words in the title, location or identifiers')
    .option('--ref <ref>', 'only what is present on this branch or tag')
    .option('--not-on <ref>', 'only what is absent from this branch or tag')
    .option('--sort <order>', 'severity_desc, severity_asc, detected_desc, detected_asc, due_asc or due_desc')
    .option('--limit <number>', 'maximum number of rows', parseCount, defaultLimit)
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
  addConnectionOptions(command).action(async (options: ListOptions) => {
    const { runList } = await import('./list.ts')
    await runList(io, options)
  })
}
