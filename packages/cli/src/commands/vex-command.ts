import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { addConnectionOptions, choice, parseSeconds } from './options.ts'
import type { VexExportOptions, VexImportOptions } from './vex.ts'

const formats = ['openvex', 'cyclonedx', 'csaf'] as const
const defaultWaitSeconds = 900

/** Declares `alcove vex` and its commands. */
export function addVexCommand(program: Command, { io }: CommandContext): void {
  const load = () => import('./vex.ts')
  const vex = program
    .command('vex')
    .summary('import and export VEX documents')
    .description(
      'Imports statements of OpenVEX, CycloneDX and CSAF as decisions, and writes decisions as such a document.',
    )
    .helpCommand(false)
    .addHelpText(
      'after',
      '\nExamples:\n  $ alcove vex import --project shop/api vendor.openvex.json --preview\n  $ alcove vex export --group shop --format csaf',
    )

  const imported = vex.command('import').description('Imports a document, whose statements change vulnerabilities.')
  imported.argument('<file>', 'VEX document: OpenVEX, CycloneDX or CSAF')
  imported
    .option('-p, --project <path>', 'full path of the project')
    .option('-g, --group <path>', 'full path of a group: the document is about all of its projects')
  imported.option('--preview', 'print the effect of each statement and change nothing')
  imported.option('--ref <ref>', 'branch or tag that the document is about (default: the default branch)')
  imported.option('--override', 'also change what users decided after a statement').option('--json', 'print JSON')
  imported.addHelpText('after', '\nExample:\n  $ alcove vex import --project shop/api vendor.openvex.json --preview')
  addConnectionOptions(imported).action(async (file: string, options: VexImportOptions) =>
    (await load()).runVexImport(io, file, options),
  )

  const exported = vex.command('export').description('Writes the decisions of a project or group as a VEX document.')
  exported
    .option('-p, --project <path>', 'full path of the project')
    .option('-g, --group <path>', 'full path of a group')
  exported.option('--format <format>', formats.join(', '), choice(formats), 'openvex')
  exported.option('--ref <ref>', 'only vulnerabilities that are present on this branch or tag')
  exported.option('-o, --output <file>', 'file to write (default: standard output)')
  exported.option('--wait <seconds>', 'how long to wait for the server', parseSeconds, defaultWaitSeconds)
  exported.option('--json', 'print what was exported as JSON')
  exported.addHelpText(
    'after',
    '\nExample:\n  $ alcove vex export --project shop/api --format csaf --ref v2.1 -o shop.json',
  )
  addConnectionOptions(exported).action(async (options: VexExportOptions) => (await load()).runVexExport(io, options))
}
