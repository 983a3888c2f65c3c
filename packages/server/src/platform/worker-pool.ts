import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Transferable, Worker } from 'node:worker_threads'
import { repeatProcessFlags } from './v8-flags.ts'

/** Pool of worker threads that respond to each message with one message, for work that would block other requests. */
export interface Workers<Job, Result> {
  /**
   * Runs a job when its turn comes. Jobs of one owner run one at a time, and the least recently served owner is next;
   * jobs without an owner run in call order. Throws `JobAborted`, or the worker's error.
   */
  run(job: Job, moved?: readonly Transferable[], owner?: string): Promise<Result>
  /** Ends idle threads. New work starts them again. */
  close(): Promise<void>
}

export interface WorkersOptions {
  /** Maximum number of threads, which are started on demand. */
  maxThreads: number
  /** Maximum run time of a job; unlimited when absent. */
  timeoutMs?: number
  /** Time for which an idle thread is kept. */
  idleMs: number
  /** Maximum number of waiting jobs; further ones are aborted immediately. */
  maxWaiting: number
  /** Maximum number of waiting jobs per owner. */
  maxWaitingPerOwner?: number
  maxHeapMib: number
}

/** Maximum size of a thread's young generation: three semi-spaces of 1 MiB. A larger one saves no CPU time in imports (decision 167). */
const maxYoungMib = 3

export class JobAborted extends Error {
  readonly because: 'time' | 'memory' | 'queue'

  constructor(because: JobAborted['because']) {
    super(`a worker's job was aborted: ${because}`)
    this.name = 'JobAborted'
    this.because = because
  }
}

interface Task<Job, Result> {
  job: Job
  moved: readonly Transferable[]
  owner: string | undefined
  resolve(result: Result): void
  reject(error: unknown): void
}

interface Thread<Job, Result> {
  worker: Worker
  task?: Task<Job, Result> | undefined
  /** Ends a job that takes too long, or an idle thread. */
  timer?: NodeJS.Timeout | undefined
  isEnding?: boolean
}

/** Returns the URL of a worker's module, given its path without an extension: `.js` in a build, `.ts` in the source. */
export const workerBeside = (url: string, path: string): URL =>
  new URL(`${path}${url.endsWith('.ts') ? '.ts' : '.js'}`, url)

/** Opens a pool. Idle threads do not keep the process alive. */
export function openWorkers<Job, Result>(module: URL, options: WorkersOptions): Workers<Job, Result> {
  const threads = new Set<Thread<Job, Result>>()
  const queue = openTaskQueue<Job, Result>(options)

  function next(): void {
    for (;;) {
      const task = queue.first(new Set([...threads].map(({ task }) => task?.owner)))
      if (!task) return
      const free = [...threads].find(({ task, isEnding }) => !task && !isEnding)
      const thread = free ?? (threads.size < options.maxThreads ? start() : undefined)
      if (!thread) return
      queue.take(task)
      give(thread, task)
    }
  }

  function start(): Thread<Job, Result> {
    const worker = startWorker(module, options)
    const thread: Thread<Job, Result> = { worker }
    threads.add(thread)
    worker.on('message', (result: Result) => {
      const { task } = thread
      rest(thread)
      task?.resolve(result)
      next()
    })
    worker.on('error', (error) => fail(thread, isOutOfMemory(error) ? new JobAborted('memory') : error))
    worker.on('exit', () => {
      threads.delete(thread)
      fail(thread, new Error('a worker ended before its job'))
      next()
    })
    return thread
  }

  function give(thread: Thread<Job, Result>, task: Task<Job, Result>): void {
    clearTimeout(thread.timer)
    thread.task = task
    const tooLong = () => {
      fail(thread, new JobAborted('time'))
      void end(thread)
    }
    thread.timer = options.timeoutMs === undefined ? undefined : setTimeout(tooLong, options.timeoutMs)
    thread.worker.ref()
    thread.worker.postMessage(task.job, task.moved)
  }

  function rest(thread: Thread<Job, Result>): void {
    clearTimeout(thread.timer)
    thread.task = undefined
    thread.timer = setTimeout(() => void end(thread), options.idleMs).unref()
    thread.worker.unref()
  }

  return {
    run: (job, moved = [], owner = undefined) =>
      new Promise((resolve, reject) => {
        const task = { job, moved, owner, resolve, reject }
        queue.add(task)
        next()
        if (queue.dropExcess(task)) reject(new JobAborted('queue'))
      }),
    async close() {
      await Promise.all([...threads].filter(({ task }) => !task).map(end))
    },
  }
}

function fail<Job, Result>(thread: Thread<Job, Result>, error: unknown): void {
  clearTimeout(thread.timer)
  const { task } = thread
  thread.task = undefined
  thread.isEnding = true
  task?.reject(error)
}

async function end<Job, Result>(thread: Thread<Job, Result>): Promise<void> {
  clearTimeout(thread.timer)
  thread.isEnding = true
  await thread.worker.terminate()
}

/** Opens the queue of waiting tasks, in which owners take turns. */
function openTaskQueue<Job, Result>({ maxWaiting, maxWaitingPerOwner = maxWaiting }: WorkersOptions) {
  const waiting: Task<Job, Result>[] = []
  /** Sequence number of each owner's last job. */
  const servedAt = new Map<string, number>()
  let served = 0
  const turn = ({ owner }: Task<Job, Result>) => (owner === undefined ? 0 : (servedAt.get(owner) ?? 0))
  return {
    add: (task: Task<Job, Result>) => void waiting.push(task),
    /** Returns the next task, excluding those of busy owners. */
    first(busy: ReadonlySet<string | undefined>): Task<Job, Result> | undefined {
      let first: Task<Job, Result> | undefined
      for (const task of waiting) {
        if (task.owner !== undefined && busy.has(task.owner)) continue
        if (!first || turn(task) < turn(first)) first = task
      }
      return first
    },
    take(task: Task<Job, Result>): void {
      waiting.splice(waiting.indexOf(task), 1)
      if (servedAt.size > 1000) servedAt.clear()
      if (task.owner !== undefined) servedAt.set(task.owner, ++served)
    },
    /** Removes the task that was added last if it still waits and exceeds a limit. Returns whether it did. */
    dropExcess(task: Task<Job, Result>): boolean {
      if (waiting.at(-1) !== task) return false
      const own = waiting.filter(({ owner }) => owner === task.owner).length
      const isFull = waiting.length > maxWaiting || (task.owner !== undefined && own > maxWaitingPerOwner)
      if (isFull) waiting.pop()
      return isFull
    },
  }
}

/** Starts a thread. Threads cannot load TypeScript, so a module of the source is bundled first; a build is already. */
function startWorker(module: URL, { maxHeapMib }: WorkersOptions): Worker {
  const resourceLimits = { maxOldGenerationSizeMb: maxHeapMib, maxYoungGenerationSizeMb: maxYoungMib }
  const worker = module.pathname.endsWith('.ts')
    ? new Worker(bundleOf(module), { eval: true, execArgv: [], resourceLimits })
    : new Worker(module, { resourceLimits })
  const stopRepeating = repeatProcessFlags()
  return worker.once('online', stopRepeating).once('exit', stopRepeating)
}

const bundles = new Map<string, string>()

/** Returns the module and its imports as one script. Tests start many threads, and each would compile all of it again. */
function bundleOf(module: URL): string {
  const known = bundles.get(module.href)
  if (known) return known
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild') // by its own types
  const url = JSON.stringify(module.href)
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    define: { 'import.meta.url': url },
    banner: { js: `globalThis.require = require('node:module').createRequire(${url});` },
  })
  const script = outputFiles[0]?.text ?? ''
  bundles.set(module.href, script)
  return script
}

function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
