import { setTimeout as sleep } from 'node:timers/promises'
import type { Io, Output } from './io.ts'
import { readSecret } from './read-secret.ts'

/** Creates the connection of a command to this process. */
export function processIo(): Io {
  // The reader of a pipe may end first, as in `alcove list | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2))
  return {
    env: process.env,
    cwd: process.cwd(),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    stdin: { isTerminal: process.stdin.isTTY === true, text: readAll, secret: () => readSecret(process.stdin) },
    fetch: globalThis.fetch,
    now: () => performance.now(),
    sleep: (ms) => sleep(ms),
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return { isTerminal: stream.isTTY === true, write: (text) => void stream.write(text) }
}

async function readAll(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
