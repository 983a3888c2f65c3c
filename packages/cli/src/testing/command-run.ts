import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { ExitCode } from '../exit.ts'
import type { Io } from '../io.ts'
import { runCommand } from '../run-command.ts'

/** What a command has printed and returned. */
export interface CommandRun {
  code: ExitCode
  stdout: string
  stderr: string
}

export interface CommandOptions {
  env?: Record<string, string>
  /** Folder of relative paths. Default: a new folder. */
  cwd?: string
  fetch?: typeof fetch
  /** Content of the standard input. */
  stdin?: string
  isTerminal?: boolean
}

/** Runs a command in process. The clock advances only while the command sleeps, so retries take no time. */
export async function run(args: readonly string[], options: CommandOptions = {}): Promise<CommandRun> {
  const printed = { stdout: '', stderr: '' }
  let elapsedMs = 0
  const isTerminal = options.isTerminal ?? false
  const outputTo = (name: keyof typeof printed) => ({
    isTerminal,
    write: (text: string | Uint8Array) => {
      printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString()
    },
  })
  const cwd = options.cwd ?? (await folder())
  const io: Io = {
    env: { HOME: cwd, ...options.env },
    cwd,
    stdout: outputTo('stdout'),
    stderr: outputTo('stderr'),
    stdin: {
      isTerminal,
      text: async () => options.stdin ?? '',
      secret: async () => options.stdin ?? '',
    },
    fetch: options.fetch ?? globalThis.fetch,
    now: () => elapsedMs,
    // Waits for real as well, but shortly: imports run in the background.
    sleep: async (ms) => {
      elapsedMs += ms
      await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 20)))
    },
  }
  const code = await runCommand(args, io)
  return { code, ...printed }
}

/** Creates a folder with files, which the test removes. */
export async function folder(files: Record<string, string | Uint8Array> = {}): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'alcove-cli-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return path
}
