import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { folderInMemory } from '../src/testing/memory.ts'

export interface ServerProcess {
  pid: number
  url: string
  /** Of the administrator: the one that was set, else the one that was printed; blank when neither was. */
  token: string
  /** Everything written so far. */
  readonly stdout: string
  /** Resolves when the process has ended, however it came to that. */
  ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** Ends it as an operator does. */
  stop(): Promise<Ended>
  /** Ends it as a power cut does. */
  kill(): Promise<Ended>
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface ProcessOptions {
  /** Settings. The data folder is a new one and the port a free one, unless they are set here. */
  env?: Record<string, string>
  /** With its options, separated by single blanks. */
  command?: string
  /** Another program than the server. */
  program?: string
}

const startTimeoutMs = 120_000
const stopTimeoutMs = 60_000

/** Starts the built server, or its source where nothing was built. It ends with the test; started outside one, end it. */
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

/** Runs a process that is expected to end by itself. */
export async function runProcess(options: ProcessOptions = {}): Promise<Ended> {
  const { child, ended } = await launch(options)
  return within(startTimeoutMs, child, ended)
}

/**
 * Makes a folder for a test that starts more than one process on the same data; it goes away with the test. It is in memory
 * where there is room: a killed process loses nothing there either, and hundreds of syncs do not wait for a disk.
 */
export async function temporaryFolder(): Promise<string> {
  const folder = await dataFolder()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const dataFolder = async () => mkdtemp(join(await folderInMemory(), 'alcove-process-'))

/** For a test that ends the process itself, or looks at it while it runs. */
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
  return [...startFlags(), ...(existsSync(built) ? [built] : throughTsx(path('src/main.ts')))]
}

/** What `npm start` gives Node: the tests are about the server as people start it. */
function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
}

const throughTsx = (path: string) => ['--import', import.meta.resolve('tsx'), path]

/** What the test runner sets is not for the server. */
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
    // Not in a test, but in a hook, which has its own way to end what it began.
  }
}
