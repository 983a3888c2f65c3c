import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Running {
  url: string
  /** Time from the start of the process to its first ready response. */
  readyMs: number
  memory(): Memory
  /** CPU time so far, of all threads. */
  cpuMs(): number
  stop(): Promise<void>
}

export interface Memory {
  /** Resident memory, including mapped parts of a database file. */
  residentMb: number
  /** Private memory of the process. */
  ownMb: number
}

const main = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))
const ceiling = fileURLToPath(new URL('ceiling.ts', import.meta.url))

/** Starts the built server on a free port. */
export function startServer(env: Readonly<Record<string, string>>): Promise<Running> {
  if (!existsSync(main)) throw new Error('there is no built server; run npm run build first')
  return start([main], { ALCOVE_PORT: '0', ALCOVE_LOG_LEVEL: 'error', ...env }, '/-/ready')
}

/** Starts the same HTTP library without the application; see `ceiling.ts`. */
export function startCeiling(responsesFile: string): Promise<Running> {
  return startTypeScript(ceiling, [responsesFile], '/ready')
}

/** Starts the HTTP library with one route and without TypeScript: the least that a start takes. */
export function startBare(): Promise<Running> {
  const script =
    "const app = require('fastify')(); app.get('/', async () => ({}));" +
    "app.listen({ port: 0, host: '127.0.0.1' }).then((address) => console.log('serves ' + address))"
  return start(['--eval', script], {}, '/')
}

/** Starts a program that prints its address, as the servers do. */
export function startTypeScript(
  file: string,
  args: readonly string[],
  readyPath: string,
  { cwd = process.cwd() }: { cwd?: string } = {},
): Promise<Running> {
  return start(['--import', import.meta.resolve('tsx'), file, ...args], {}, readyPath, cwd)
}

const startTimeoutMs = 60_000
const stopTimeoutMs = 20_000
const running = new Set<ChildProcess>()

export function trackProcess(child: ChildProcess): void {
  running.add(child)
  child.once('exit', () => running.delete(child))
}

// Stops all child processes when this program ends.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

async function start(
  args: string[],
  env: Readonly<Record<string, string>>,
  readyPath: string,
  cwd = process.cwd(),
): Promise<Running> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  const url = await Promise.race([
    addressOf(child),
    ended.then(() => Promise.reject(new Error('a server ended before it was ready'))),
    sleep(startTimeoutMs, undefined, { ref: false }).then(() => Promise.reject(new Error('a server did not start'))),
  ])
  const { ok } = await fetch(url + readyPath, { headers: { connection: 'close' } })
  if (!ok) throw new Error(`${url} is not ready`)
  const { pid = 0 } = child
  return {
    url,
    readyMs: performance.now() - startedAt,
    memory: () => readMemory(pid),
    cpuMs: () => readCpuMs(pid),
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      await ended
      clearTimeout(timer)
    },
  }
}

/** Returns the address, which the process prints as the last word of its first line. */
async function addressOf(child: ChildProcess): Promise<string> {
  let text = ''
  // The process prints more after its address, so its output must stay open.
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += chunk
    const [, address] = /serves (\S+)\s/.exec(text) ?? []
    if (!address) continue
    child.stdout?.resume()
    return address
  }
  throw new Error('a server did not tell its address')
}

/** Returns the environment without settings and Node options, which would affect the measured servers. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(ALCOVE_|NODE_)/.test(name)))
}

/** Returns zero on systems that do not provide the value. */
export function readMemory(pid: number): Memory {
  const status = readProc(`/proc/${pid}/status`)
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { residentMb: megabytes('VmRSS'), ownMb: megabytes('RssAnon') }
}

const msPerTick = 10

export function readCpuMs(pid: number): number {
  // The name in the second field may contain spaces; user and system time are the 12th and 13th fields after it.
  const fields = readProc(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * msPerTick
}

function readProc(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Records the largest resident memory until it is stopped. */
export function watchMemory(server: Running): { stop(): Promise<number> } {
  let atMost = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      atMost = Math.max(atMost, server.memory().residentMb)
      await sleep(100)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return atMost
    },
  }
}
