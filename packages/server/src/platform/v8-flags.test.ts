import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

/** Returns the size of the main thread's young generation after much garbage, with and without a thread before it. */
async function youngBytesOf(start: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-flags-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const worker = join(folder, 'worker.mjs')
  await writeFile(
    worker,
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (job) => parentPort.postMessage(job))`,
  )
  const main = join(folder, 'main.mjs')
  const contents = `import { getHeapSpaceStatistics } from 'node:v8'
    import { setProcessFlags } from './v8-flags.ts'
    import { openWorkers } from './worker-pool.ts'
    setProcessFlags()
    const worker = new URL(${JSON.stringify(pathToFileURL(worker).href)})
    const options = { maxThreads: 1, idleMs: 1000, maxWaiting: 1, maxHeapMib: 64, maxYoungMib: 24 }
    ${start}
    const kept = []
    for (let i = 0; i < 400_000; i++) kept.push({ i })
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
    process.exit()`
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  await build({ stdin: { contents, resolveDir }, outfile: main, bundle: true, format: 'esm', platform: 'node' })
  return Number((await promisify(execFile)(process.execPath, [main], { timeout: 20_000 })).stdout)
}

test('the young generation stays small without an option of Node', async () => {
  expect(await youngBytesOf('')).toBeLessThanOrEqual(2 * 1024 * 1024)
})

test('the young generation stays small after a thread with a larger one has started', async () => {
  expect(await youngBytesOf('await openWorkers(worker, options).run(1)')).toBeLessThanOrEqual(2 * 1024 * 1024)
})
