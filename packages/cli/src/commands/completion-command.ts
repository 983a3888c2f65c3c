import type { Command } from 'commander'
import { safeJson } from '../safe-text.ts'
import type { CommandContext } from './command-context.ts'
import { type Shell, shells, writeCompletion } from './completion.ts'
import { choice } from './options.ts'

const examples = `
Examples:
  $ alcove completion bash > ~/.local/share/bash-completion/completions/alcove
  $ echo 'source <(alcove completion zsh)' >> ~/.zshrc
  $ alcove completion fish > ~/.config/fish/completions/alcove.fish`

/** Declares `alcove completion`. */
export function addCompletionCommand(program: Command, { io }: CommandContext): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Prints a script that completes the commands and options in a shell.')
    .argument('<shell>', shells.join(', '), choice(shells))
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((shell: Shell, { json }: { json?: boolean }) => {
      const script = writeCompletion(program, shell)
      io.stdout.write(json ? `${safeJson({ shell, script })}\n` : script)
    })
}
