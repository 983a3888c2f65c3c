import { Command } from 'commander'
import { addAttachCommand } from './commands/attach-command.ts'
import type { CommandContext } from './commands/command-context.ts'
import { addCompletionCommand } from './commands/completion-command.ts'
import { addExportCommand } from './commands/export-command.ts'
import { addImportCommand } from './commands/import-command.ts'
import { addListCommand } from './commands/list-command.ts'
import { addLoginCommands } from './commands/login-command.ts'
import { addTopicsCommand } from './commands/topics-command.ts'
import { addUploadCommand } from './commands/upload-command.ts'
import { addVexCommand } from './commands/vex-command.ts'
import { addVulnerabilityCommands } from './commands/vulnerability-commands.ts'
import type { Io } from './io.ts'
import { readVersion } from './version.ts'

const examples = `
Examples:
  $ alcove login --url https://alcove.example.com
  $ alcove upload --project shop/api --fail-on new:high trivy.json semgrep.json
  $ alcove list --project shop/api --severity critical,high

Exit codes: 0 passed, 1 the policy failed, 2 wrong usage or a rejected request, 3 the server is unreachable.
Settings: ALCOVE_URL and ALCOVE_TOKEN, or the login file that alcove login writes.`

/** Declares the commands and their options. */
export function createProgram(io: Io, finish: CommandContext['finish']): Command {
  const program = new Command('alcove')
    .description('Sends security reports to an Alcove server, checks a policy, and lists and triages vulnerabilities.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', examples)
    .showHelpAfterError('(add --help for the options and examples)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
  const context = { io, finish }
  addUploadCommand(program, context)
  addLoginCommands(program, context)
  addListCommand(program, context)
  addVulnerabilityCommands(program, context)
  addExportCommand(program, context)
  addVexCommand(program, context)
  addImportCommand(program, context)
  addAttachCommand(program, context)
  addTopicsCommand(program, context)
  addCompletionCommand(program, context)
  return program
}
