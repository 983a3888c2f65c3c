import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openWorkers, type WorkersOptions } from './worker-pool.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-workers-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Job = 'thread' | 'forever' | 'memory' | 'throw' | 'exit' | 'garbage' | number

const code = `
import { getHeapSpaceStatistics } from 'node:v8'
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', async (job) => {
  if (job === 'forever') for (;;);
  if (job === 'memory') { const kept = []; for (;;) kept.push(new Array(100_000).fill({})) }
  if (job === 'throw') throw new TypeError('no')
  if (job === 'exit') process.exit(3)
  if (job === 'garbage') for (let kept = [], i = 0; i < 2e6; i++) kept.length < 10_000 ? kept.push({ i }) : (kept = [])
  if (job === 'garbage') {
    return parentPort.postMessage(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
  }
  if (typeof job === 'number') await new Promise((resolve) => setTimeout(resolve, job))
  parentPort.postMessage(threadId)
})`

async function open(options: Partial<WorkersOptions> = {}) {
  const file = join(folder, 'worker.mjs')
  await writeFile(file, code)
  const standard = { maxThreads: 2, timeoutMs: 20_000, idleMs: 20_000, maxWaiting: 10, maxHeapMib: 64 }
  const workers = openWorkers<Job, number>(pathToFileURL(file), { ...standard, ...options })
  onTestFinished(workers.close)
  return workers
}

test('an idle thread is reused, and another one is started only when all are busy', async () => {
  const workers = await open()
  const first = await workers.run('thread')
  expect(await workers.run('thread')).toBe(first)
  const both = await Promise.all([workers.run(50), workers.run(50)])
  expect(new Set(both).size).toBe(2)
  expect(both).toContain(first)
})

test('jobs wait for a thread, and are rejected when the queue is full', async () => {
  const workers = await open({ maxThreads: 1, maxWaiting: 2 })
  const [running, ...waiting] = [workers.run(100), workers.run('thread'), workers.run('thread')]
  await expect(workers.run('thread')).rejects.toMatchObject({ because: 'queue' })
  const thread = await running
  expect(await Promise.all(waiting)).toEqual([thread, thread])
})

test('one owner’s jobs run one at a time and delay another owner by one job at most', async () => {
  const workers = await open({ maxThreads: 2, maxWaiting: 40, maxWaitingPerOwner: 20 })
  const order: string[] = []
  const run = (owner: string) => workers.run(20, [], owner).then(() => order.push(owner))
  await workers.run('thread')
  const many = ['a', 'c'].flatMap((owner) => Array.from({ length: 10 }, () => run(owner)))
  await Promise.all([...many, run('b')])
  expect(order.indexOf('b')).toBeLessThanOrEqual(4)
  expect(order).toHaveLength(21)
})

test('an owner with too many waiting jobs is rejected, others are not', async () => {
  const workers = await open({ maxThreads: 1, maxWaiting: 10, maxWaitingPerOwner: 1 })
  const accepted = [workers.run(50, [], 'a'), workers.run(50, [], 'a')]
  await expect(workers.run(50, [], 'a')).rejects.toMatchObject({ because: 'queue' })
  await Promise.all([...accepted, workers.run('thread', [], 'b')])
})

test('a job that takes too long is terminated, and the next one gets a new thread', async () => {
  const workers = await open({ maxThreads: 1, timeoutMs: 1000 })
  const before = await workers.run('thread')
  const [endless, next] = [workers.run('forever'), workers.run('thread')]
  await expect(endless).rejects.toMatchObject({ because: 'time' })
  expect(await next).not.toBe(before)
})

test('a job that uses too much memory is terminated without affecting the process', async () => {
  const workers = await open({ maxThreads: 1 })
  await expect(workers.run('memory')).rejects.toMatchObject({ because: 'memory' })
  expect(await workers.run('thread')).toBeGreaterThan(0)
})

test('a job’s error rejects the caller’s promise', async () => {
  const workers = await open({ maxThreads: 1 })
  await expect(workers.run('throw')).rejects.toThrow(new TypeError('no'))
  await expect(workers.run('exit')).rejects.toThrow('ended before its job')
  expect(await workers.run('thread')).toBeGreaterThan(0)
})

test('an idle thread ends after a timeout and on closing', async () => {
  const workers = await open({ idleMs: 10 })
  const first = await workers.run('thread')
  await new Promise((resolve) => setTimeout(resolve, 200))
  const second = await workers.run('thread')
  await workers.close()
  const third = await workers.run('thread')
  expect(new Set([first, second, third]).size).toBe(3)
})

/** Returns the output of a program whose only work is a job on a thread. */
async function programOf(job: Job): Promise<string> {
  const workers = join(folder, 'worker.mjs')
  await writeFile(workers, code)
  const main = join(folder, 'main.mjs')
  const all = { maxThreads: 1, timeoutMs: 60_000, idleMs: 60_000, maxWaiting: 1, maxHeapMib: 64 }
  await build({
    stdin: {
      contents: `import { openWorkers } from './worker-pool.ts'
        openWorkers(new URL(${JSON.stringify(pathToFileURL(workers).href)}), ${JSON.stringify(all)}).run('${job}').then(console.log)`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    outfile: main,
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  return (await promisify(execFile)(process.execPath, [main], { timeout: 20_000 })).stdout
}

test('an idle thread does not keep the process alive', async () => {
  expect(Number(await programOf('thread'))).toBeGreaterThan(0)
})

test('a thread has a small young generation', async () => {
  expect(Number(await programOf('garbage'))).toBeLessThanOrEqual(2 * 1024 * 1024)
})
