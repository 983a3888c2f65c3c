import type { ExitCode } from '../exit.ts'
import type { Io } from '../io.ts'

/** What a command needs to run. Commands load their code when they run, so that the program starts quickly. */
export interface CommandContext {
  io: Io
  /** Ends the program with this code when the command is done. */
  finish(code: ExitCode): void
}
