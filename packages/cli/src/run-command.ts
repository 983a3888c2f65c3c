import { CommanderError } from 'commander'
import { type ExitCode, exitCodes, readFailure } from './exit.ts'
import type { Io } from './io.ts'
import { createProgram } from './program.ts'
import { plain } from './safe-text.ts'

/** Runs a command and returns its exit code. `args` are the words after `alcove`. */
export async function runCommand(args: readonly string[], io: Io): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.passed
  const program = createProgram(io, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has printed the help or the problem already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.passed : exitCodes.usage
    const failure = readFailure(error)
    const lines = failure.message.split('\n').map((line) => plain(line))
    io.stderr.write(`alcove: ${lines.join('\n')}\n`)
    return failure.exitCode
  }
}
