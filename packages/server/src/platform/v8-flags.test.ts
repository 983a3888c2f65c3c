import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

/** Bundles a program beside this test with what it imports, runs it, and returns what it prints. */
async function outputOf(folder: string, contents: string): Promise<string> {
  const main = join(folder, 'main.mjs')
  const resolveDir = fileURLToPath(new URL('.', import.meta.url))
  await build({ stdin: { contents, resolveDir }, outfile: main, bundle: true, format: 'esm', platform: 'node' })
  return (await promisify(execFile)(process.execPath, [main], { timeout: 20_000 })).stdout
}

async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-flags-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Returns the size of the main thread's young generation after much garbage, with and without a thread before it. */
async function youngBytesOf(start: string): Promise<number> {
  const folder = await openFolder()
  const worker = join(folder, 'worker.mjs')
  await writeFile(
    worker,
    `import { parentPort } from 'node:worker_threads'; parentPort.on('message', (job) => parentPort.postMessage(job))`,
  )
  const contents = `import { getHeapSpaceStatistics } from 'node:v8'
    import { setProcessFlags } from './v8-flags.ts'
    import { openWorkers } from './worker-pool.ts'
    setProcessFlags()
    const worker = new URL(${JSON.stringify(pathToFileURL(worker).href)})
    const options = { maxThreads: 1, idleMs: 1000, maxWaiting: 1, maxHeapMib: 64 }
    ${start}
    const kept = []
    for (let i = 0; i < 400_000; i++) kept.push({ i })
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
    process.exit()`
  return Number(await outputOf(folder, contents))
}

test('the young generation stays small without an option of Node', async () => {
  expect(await youngBytesOf('')).toBeLessThanOrEqual(2 * 1024 * 1024)
})

test('the young generation stays small after a thread has started', async () => {
  expect(await youngBytesOf('await openWorkers(worker, options).run(1)')).toBeLessThanOrEqual(2 * 1024 * 1024)
})

test('the young generation of the busy main thread doubles at most once while another thread starts', async () => {
  const start = `let hasStarted = false
    openWorkers(worker, options).run(1).then(() => (hasStarted = true))
    while (!hasStarted) {
      const kept = []
      for (let i = 0; i < 20_000; i++) kept.push({ i })
      // Yields to the event loop, for timers and messages of the thread.
      await new Promise((resolve) => setTimeout(resolve))
    }`
  expect(await youngBytesOf(start)).toBeLessThanOrEqual(4 * 1024 * 1024)
})

test('the young generation grows under load, and has a fixed size while a large report is imported', async () => {
  const contents = (work: string) => `import { getHeapSpaceStatistics } from 'node:v8'
    import { enlargeYoungGenerationUnderLoad, setProcessFlags, withSmallHeap } from './v8-flags.ts'
    setProcessFlags()
    enlargeYoungGenerationUnderLoad()
    const isOver = Date.now() + 3_000
    const youngBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size
    async function serve() {
      const kept = []
      while (Date.now() < isOver && youngBytes() <= 8 * 1024 * 1024) {
        for (let i = 0; i < 20_000; i++) kept[i] = { i }
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await ${work}
    console.log(youngBytes())
    process.exit()`
  expect(Number(await outputOf(await openFolder(), contents('serve()')))).toBeGreaterThan(8 * 1024 * 1024)
  expect(Number(await outputOf(await openFolder(), contents('withSmallHeap(serve)')))).toBe(8 * 1024 * 1024)
  const huge = 'withSmallHeap(serve, { isYoungSmall: true })'
  expect(Number(await outputOf(await openFolder(), contents(huge)))).toBeLessThanOrEqual(2 * 1024 * 1024)
})

test('collections of an import do not count as load after it', async () => {
  const contents = (wrap: string) => `import { getHeapSpaceStatistics } from 'node:v8'
    import { enlargeYoungGenerationUnderLoad, setProcessFlags, withSmallHeap } from './v8-flags.ts'
    setProcessFlags()
    // Replaces the timer of a second.
    let tick
    globalThis.setInterval = (run) => ((tick = run), { unref() {} })
    enlargeYoungGenerationUnderLoad()
    await withSmallHeap(async () => {})
    async function allocate() {
      for (let turn = 0; turn < 200; turn++) {
        Array.from({ length: 50_000 }, (_, i) => ({ i }))
        await new Promise((resolve) => setImmediate(resolve)) // delivers the observed collections
      }
    }
    await ${wrap}(allocate)
    await new Promise((resolve) => setImmediate(resolve))
    tick()
    const survivors = Array.from({ length: 800_000 }, (_, i) => ({ i }))
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size, survivors.length)
    process.exit()`
  const youngBytes = async (wrap: string) => Number.parseInt(await outputOf(await openFolder(), contents(wrap)), 10)
  expect(await youngBytes('withSmallHeap')).toBe(8 * 1024 * 1024)
  expect(await youngBytes('(async (run) => run())')).toBeGreaterThan(8 * 1024 * 1024)
})

test('the heap of an import is limited from its beginning', async () => {
  const contents = `import { getHeapStatistics } from 'node:v8'
    import { openGarbageCollector, setProcessFlags, withSmallHeap } from './v8-flags.ts'
    setProcessFlags()
    // Leaves a limit of growth that suits a heap of about 40 MB.
    let earlier = Array.from({ length: 800_000 }, (_, i) => ({ i }))
    openGarbageCollector()('major')
    earlier = earlier.slice(0, 1)
    const megabytes = () => getHeapStatistics().used_heap_size / 1024 / 1024
    await withSmallHeap(async () => {
      const before = megabytes()
      let recent = []
      let growth = 0
      for (let i = 0; i < 3_000_000; i++) {
        recent.push({ i })
        if (recent.length < 50_000) continue
        growth = Math.max(growth, megabytes() - before)
        recent = []
        await new Promise((resolve) => setImmediate(resolve))
      }
      console.log(growth)
    })
    process.exit()`
  expect(Number(await outputOf(await openFolder(), contents))).toBeLessThan(30)
})

test.for(['major', 'minor'])('a %s collection is of this type', async (type) => {
  const contents = `import { PerformanceObserver, constants } from 'node:perf_hooks'
    import { openGarbageCollector } from './v8-flags.ts'
    new PerformanceObserver((list) => {
      const [{ detail }] = list.getEntries()
      console.log(detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR ? 'major' : 'minor')
      process.exit()
    }).observe({ entryTypes: ['gc'] })
    openGarbageCollector()('${type}')
    setInterval(() => {}, 1000)`
  expect((await outputOf(await openFolder(), contents)).trim()).toBe(type)
})

test('functions are optimized only after the start', async () => {
  const contents = `import { setFlagsFromString } from 'node:v8'
    import { allowOptimization, postponeOptimization } from './v8-flags.ts'
    setFlagsFromString('--allow-natives-syntax')
    const isOptimized = new Function('f', 'return (%GetOptimizationStatus(f) & 16) !== 0')
    const add = new Function('a', 'b', 'return a + b')
    /** Calls the function until it is optimized, at most for some rounds. Its code arrives from another thread. */
    async function isOptimizedAfter(rounds) {
      for (let round = 0; round < rounds && !isOptimized(add); round++) {
        for (let i = 0; i < 200_000; i++) add(i, round)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return isOptimized(add)
    }
    postponeOptimization()
    const during = await isOptimizedAfter(50)
    allowOptimization()
    console.log(JSON.stringify({ during, after: await isOptimizedAfter(10_000) }))`
  expect(JSON.parse(await outputOf(await openFolder(), contents))).toEqual({ during: false, after: true })
})
