import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { folderInMemory } from '../src/testing/memory.ts'

export interface ServerProcess {
  pid: number
  url: string
  /** Token of the administrator: from the settings or the output; empty when there is none. */
  token: string
  /** Output so far. */
  readonly stdout: string
  /** Resolves when the process has ended for any reason. */
  ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** Stops it with SIGTERM. */
  stop(): Promise<Ended>
  /** Kills it with SIGKILL. */
  kill(): Promise<Ended>
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface ProcessOptions {
  /** Settings. By default, a new data folder and a free port. */
  env?: Record<string, string>
  /** Command with its options, separated by single spaces. */
  command?: string
  /** Runs another program instead of the server. */
  program?: string
}

const startTimeoutMs = 120_000
const stopTimeoutMs = 60_000

/** Starts the built server, or its source if there is no build. It stops with the test; outside of a test, stop it. */
export async function startProcess(options: ProcessOptions = {}): Promise<ServerProcess> {
  const { child, output, ended } = await launch(options)
  const url = await waitFor('print its address', async () => /^Alcove serves (\S+)$/m.exec(output.stdout)?.[1])
  await waitFor('become ready', () => isReady(url))
  return {
    pid: child.pid ?? 0,
    url,
    token: options.env?.['ALCOVE_BOOTSTRAP_TOKEN'] ?? /^ {2}(alpat-\S+)$/m.exec(output.stdout)?.[1] ?? '',
    get stdout() {
      return output.stdout
    },
    ended,
    signal: (name) => void child.kill(name),
    stop: () => end(child, ended, 'SIGTERM'),
    kill: () => end(child, ended, 'SIGKILL'),
  }

  async function waitFor<T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> {
    const deadline = Date.now() + startTimeoutMs
    for (;;) {
      const seen = await look()
      if (seen) return seen
      const isOver = child.exitCode !== null || child.signalCode !== null
      if (isOver || Date.now() > deadline) {
        const { stdout, stderr } = await end(child, ended, 'SIGKILL')
        throw new Error(`the server did not ${what}\n${stdout}${stderr}`)
      }
      await sleep(20)
    }
  }
}

/** Runs a process until it exits. */
export async function runProcess(options: ProcessOptions = {}): Promise<Ended> {
  const { child, ended } = await launch(options)
  return within(startTimeoutMs, child, ended)
}

/**
 * Creates a folder for several processes of a test, which removes it. The folder is in memory if there is enough: a killed
 * process loses nothing there either, and hundreds of syncs do not wait for a disk.
 */
export async function temporaryFolder(): Promise<string> {
  const folder = await dataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const dataFolder = async () => mkdtemp(join(await folderInMemory(), 'alcove-process-'))

/** Starts a process for a test that ends it or inspects it while it runs. */
export async function launch({ env = {}, command, program }: ProcessOptions) {
  const own = env['ALCOVE_DATA'] ? undefined : await dataFolder()
  const folder = own ?? env['ALCOVE_DATA']
  const child = spawn(process.execPath, [...(program ? [program] : server()), ...(command ? command.split(' ') : [])], {
    cwd: folder,
    env: {
      ...inherited(),
      ALCOVE_PORT: '0',
      ALCOVE_OBJECT_RETENTION_HOURS: '0',
      ...(own && { ALCOVE_DATA: own }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', async (code, signal) => {
      if (own) await rm(own, { recursive: true, force: true })
      resolve({ code, signal, ...output })
    })
  })
  endWithTest(() => end(child, ended, 'SIGKILL'))
  return { child, output, ended }
}

function end(child: ChildProcess, ended: Promise<Ended>, signal: NodeJS.Signals): Promise<Ended> {
  child.kill(signal)
  return within(stopTimeoutMs, child, ended)
}

async function within(timeoutMs: number, child: ChildProcess, ended: Promise<Ended>): Promise<Ended> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    return await ended
  } finally {
    clearTimeout(timer)
  }
}

function server(): string[] {
  const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
  const built = path('dist/main.js')
  return existsSync(built) ? [built] : throughTsx(path('src/main.ts'))
}

const throughTsx = (path: string) => ['--import', import.meta.resolve('tsx'), path]

/** Returns the environment without the variables of the test runner. */
function inherited(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ALCOVE_|VITEST|NODE_)/.test(name)))
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`, { headers: { connection: 'close' } })).ok
  } catch {
    return false
  }
}

function endWithTest(end: () => Promise<unknown>): void {
  try {
    onTestFinished(async () => void (await end()))
  } catch {
    // Called in a hook, which stops its processes itself.
  }
}
