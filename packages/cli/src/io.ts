/** Everything outside the program that a command uses. Tests replace it. */
export interface Io {
  env: Environment
  /** Folder of relative paths. */
  cwd: string
  stdout: Output
  stderr: Output
  stdin: Input
  fetch: typeof fetch
  now(): number
  sleep(ms: number): Promise<void>
}

export type Environment = Readonly<Record<string, string | undefined>>

export interface Output {
  write(text: string | Uint8Array): void
  isTerminal: boolean
}

interface Input {
  isTerminal: boolean
  /** Reads the whole input. */
  text(): Promise<string>
  /** Reads one line of a terminal without showing it. */
  secret(): Promise<string>
}

/** Returns true if an output may be coloured: on a terminal, unless `NO_COLOR` is set. */
export function isColoured({ env }: Io, output: Output): boolean {
  return output.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
