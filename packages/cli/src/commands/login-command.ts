import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import type { LoginOptions } from './login.ts'
import { addConnectionOptions } from './options.ts'

const examples = `
The token is read from the terminal, or from the standard input, so that it is in no process list and no shell history.
It is stored in ~/.config/alcove/login.json, readable by its owner only.

Examples:
  $ alcove login --url https://alcove.example.com
  $ alcove login --url https://alcove.example.com < token.txt
  $ alcove logout`

/** Declares `alcove login` and `alcove logout`. */
export function addLoginCommands(program: Command, { io }: CommandContext): void {
  const login = program
    .command('login')
    .summary('store the address of a server and a token')
    .description('Checks a personal access token and stores it with the address of its server.')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
  addConnectionOptions(login).action(async (options: LoginOptions) => {
    const { runLogin } = await import('./login.ts')
    await runLogin(io, options)
  })
  program
    .command('logout')
    .summary('remove the stored token')
    .description('Removes the stored token from this computer. It stays valid on the server.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ alcove logout')
    .action(async (options: { json?: boolean }) => {
      const { runLogout } = await import('./login.ts')
      await runLogout(io, options)
    })
}
