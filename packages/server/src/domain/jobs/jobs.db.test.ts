import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testEngine } from '../../testing/databases/database.ts'
import { claimAndDie, later, note, noting, openQueue, start } from '../../testing/jobs.ts'
import { type RootDeps, transaction } from '../deps.ts'
import { dispatch } from './dispatch.ts'
import { type AnyJobKind, enqueue } from './job.ts'
import { findJobs, getJob, removeOldJobs, runJobAgain, runJobsNow } from './jobs.ts'
import { freeCapacity, runDueJobs, runJobs } from './run-jobs.ts'

describe('a job', () => {
  test('runs as soon as it is queued, and is kept as finished', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting()
    const runner = runJobs(deps, [kind])
    onTestFinished(() => runner.stop())
    await sleep(50)
    const id = await note(deps, 'now')
    await expect.poll(() => notes, { interval: 5, timeout: 1000 }).toEqual(['now'])
    await expect.poll(() => getJob(deps, id)).toMatchObject({ state: 'finished', attempts: 1, lastError: null })
  })

  test('is queued if and only if its transaction commits', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting()
    const cancelled = transaction(deps, async (deps) => {
      await note(deps, 'never')
      throw new Error('no')
    })
    await expect(cancelled).rejects.toThrow('no')
    await transaction(deps, (deps) => note(deps, 'committed'))
    expect(await runDueJobs(deps, [kind])).toBe(1)
    expect(notes).toEqual(['committed'])
  })

  test('runs at its scheduled time', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting()
    await note(deps, 'later', { runAt: later(60) })
    expect(await runDueJobs(deps, [kind])).toBe(0)
    clock.now = later(60)
    expect(await runDueJobs(deps, [kind])).toBe(1)
    expect(notes).toEqual(['later'])
  })

  test('is retried with increasing delays when it fails, and fails after the last attempt', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const givenUp: string[] = []
    const { kind, notes } = noting({
      run: () => Promise.reject(new Error('the disk is gone')),
      giveUp: async (_deps, { text }, error) => void givenUp.push(`${text}: ${error}`),
    })
    const id = await note(deps, 'x')
    const waits: number[] = []
    while ((await runDueJobs(deps, [kind])) > 0) {
      const job = await getJob(deps, id)
      if (job.state !== 'waiting') break
      expect(job.lastError).toBe('the disk is gone')
      waits.push(Date.parse(job.runAt) - Date.parse(clock.now))
      expect(await runDueJobs(deps, [kind])).toBe(0)
      clock.now = job.runAt
    }
    expect(notes).toEqual(['x', 'x', 'x'])
    expect(waits).toHaveLength(2)
    expect(waits[0]).toBeGreaterThanOrEqual(2500)
    expect(waits[0]).toBeLessThanOrEqual(5000)
    expect(waits[1]).toBeGreaterThanOrEqual(5000)
    expect(waits[1]).toBeLessThanOrEqual(10_000)
    expect(await getJob(deps, id)).toMatchObject({ state: 'failed', attempts: 3, lastError: 'the disk is gone' })
    expect(givenUp).toEqual(['x: the disk is gone'])

    await runJobAgain(deps, id)
    expect(await getJob(deps, id)).toMatchObject({ state: 'waiting', attempts: 0 })
    expect(await runDueJobs(deps, [kind])).toBe(1)
  })

  test('can schedule itself again, which is not a failure', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting({ run: async () => ({ againAt: later(30) }) })
    const id = await note(deps, 'x', { key: 'k' })
    await runDueJobs(deps, [kind])
    expect(await getJob(deps, id)).toMatchObject({ state: 'waiting', attempts: 0, runAt: later(30), lastError: null })
    await runJobsNow(deps, 'k')
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['x', 'x'])
  })

  test('reports its progress', async () => {
    const { deps } = await openQueue()
    const seen: unknown[] = []
    const { kind } = noting({
      async run(deps, job) {
        await job.progress(3, 10)
        seen.push(await getJob(deps, job.id))
        await job.progress(4, 10) // throttled, because it follows too soon
        await job.progress(10, 10)
        seen.push(await getJob(deps, job.id))
      },
    })
    await note(deps, 'x')
    await runDueJobs(deps, [kind])
    expect(seen).toMatchObject([
      { state: 'running', done: 3, total: 10 },
      { state: 'running', done: 10, total: 10 },
    ])
  })

  test('of an unknown kind is left for other processes', async () => {
    const { deps } = await openQueue()
    const { kind } = noting()
    await enqueue(deps, { kind: 'strange', payload: {} })
    expect(await runDueJobs(deps, [kind])).toBe(0)
  })

  test('is deleted a day after it finishes, or a month after it fails', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind } = noting({ maxAttempts: 1, run: async (_, { payload }) => assertGood(payload.text) })
    await note(deps, 'good')
    await note(deps, 'bad')
    await runDueJobs(deps, [kind])
    const all = { states: undefined, kind: undefined }
    const list = async () => {
      await removeOldJobs(deps)
      return (await findJobs(deps, all, { page: 1, perPage: 20, offset: 0 })).rows.map(({ state }) => state)
    }
    expect(await list()).toEqual(['failed', 'finished'])
    clock.now = later(25 * 3600)
    expect(await list()).toEqual(['failed'])
    clock.now = later(31 * 24 * 3600)
    expect(await list()).toEqual([])
  })
})

describe('jobs with the same key', () => {
  test('run one at a time in order, next to jobs with another key', async () => {
    const { deps } = await openQueue()
    const running = new Set<string>()
    const together: string[][] = []
    const { kind, notes } = noting({
      concurrency: 10,
      async run(_deps, { payload }) {
        running.add(payload.text)
        together.push([...running])
        await sleep(20)
        running.delete(payload.text)
      },
    })
    for (const text of ['a1', 'b1', 'a2', 'b2', 'a3']) await note(deps, text, { key: text.slice(0, 1) })
    const runner = runJobs(deps, [kind])
    onTestFinished(() => runner.stop())
    await expect.poll(() => notes.length).toBe(5)
    expect(notes.filter((text) => text.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(together.some((texts) => texts.length === 2)).toBe(true)
    for (const texts of together) expect(new Set(texts.map((text) => text[0])).size).toBe(texts.length)
  })

  test('wait for one that is retried', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting({
      run: async (_deps, job) => assertGood(job.attempt === 1 ? 'bad' : job.payload.text),
    })
    await note(deps, 'first', { key: 'k' })
    await note(deps, 'second', { key: 'k' })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['first'])
    clock.now = later(6)
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['first', 'first', 'second'])
  })

  test('are coalesced into one run when the kind declares it', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({ coalesces: true })
    for (const text of ['a', 'b', 'c']) await note(deps, text, { key: 'k' })
    await note(deps, 'other', { key: 'l' })
    expect(await runDueJobs(deps, [kind])).toBe(2)
    expect(notes).toEqual(['a', 'other'])
    const page = { page: 1, perPage: 20, offset: 0 }
    expect((await findJobs(deps, { states: undefined, kind: undefined }, page)).rows).toEqual([])
  })

  test('are coalesced only if they were queued before the run began', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({
      coalesces: true,
      run: async (deps, { payload }) => void (payload.text === 'a' && (await note(deps, 'while it ran', { key: 'k' }))),
    })
    await note(deps, 'a', { key: 'k' })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['a', 'while it ran'])
  })
})

describe('a process that ends', () => {
  test('leaves its job to another process after the lease expires, which runs it from the beginning', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting()
    const id = await note(deps, 'x')
    // Simulates a process that is killed right after the start.
    expect(await claimAndDie(deps, [kind])).toMatchObject([{ job: { id } }])
    expect(await runDueJobs(deps, [kind])).toBe(0)
    clock.now = later(16)
    expect(await runDueJobs(deps, [kind])).toBe(1)
    expect(notes).toEqual(['x'])
    expect(await getJob(deps, id)).toMatchObject({ state: 'finished', attempts: 1, interruptions: 1 })
  })

  test('because of the same job each time retries it with increasing delays, and never gives up', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const reported: number[] = []
    const { kind, notes } = noting({
      maxAttempts: 1,
      interrupted: async (_deps, _payload, interruptions) => void reported.push(interruptions),
    })
    const id = await note(deps, 'poison')
    const waits: number[] = []
    for (let died = 1; died <= 12; died++) {
      expect(await claimAndDie(deps, [kind])).toMatchObject([{ job: { id } }])
      clock.now = new Date(Date.parse(clock.now) + 15_000).toISOString()
      await requeueAbandoned(deps, [kind])
      const job = await getJob(deps, id)
      expect(job).toMatchObject({ state: 'waiting', interruptions: died, lastError: 'the process ended while it ran' })
      waits.push((Date.parse(job.runAt) - Date.parse(clock.now)) / 1000)
      clock.now = job.runAt
    }
    expect(waits).toEqual([0, 0, 30, 60, 120, 240, 480, 960, 1800, 1800, 1800, 1800])
    expect(reported).toEqual(waits.map((_, index) => index + 1))
    expect(notes).toEqual([])
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['poison'])
    expect(await getJob(deps, id)).toMatchObject({ state: 'finished', attempts: 1 })
  })

  test('because of one job repeatedly runs that job alone, after all others', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind } = noting({ concurrency: 2 })
    await note(deps, 'poison', { key: 'p' })
    for (let died = 1; died <= 3; died++) {
      await claimAndDie(deps, [kind])
      clock.now = new Date(Date.parse(clock.now) + 60_000).toISOString()
      await requeueAbandoned(deps, [kind])
    }
    for (const text of ['a', 'b', 'c']) await note(deps, text)
    clock.now = later(3600)
    const claim = async (running: string[]) => {
      const free = freeCapacity([kind], running)
      const { claimed } = await dispatch(deps, [kind], { free, isAbandoned: () => false })
      return claimed.map(({ job }) => (job.payload as { text: string }).text) // what `note` queues
    }
    expect(await claim([])).toEqual(['a', 'b'])
    expect(await claim(['note'])).toEqual(['c'])
    expect(await claim(['note'])).toEqual([])
    expect(await claim([])).toEqual(['poison'])
    await note(deps, 'd')
    expect(await claim(['alone:note'])).toEqual([])
    expect(await claim([])).toEqual(['d'])
  })

  test.runIf(testEngine === 'sqlite')('is recognised at the next start on SQLite', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting()
    const id = await note(deps, 'x')
    expect(await claimAndDie(deps, [kind])).toMatchObject([{ job: { id } }])
    const runner = runJobs(deps, [kind])
    onTestFinished(() => runner.stop())
    await expect.poll(() => notes).toEqual(['x'])
  })

  test('only seemingly, and resumes, does not overwrite the result of another process', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    let wakeUp = () => {}
    const asleep = new Promise<void>((resolve) => {
      wakeUp = resolve
    })
    const { kind, notes } = noting({
      async run() {
        if (notes.length > 1) return
        await asleep
        throw new Error('woke up')
      },
    })
    const id = await note(deps, 'x')
    const first = runDueJobs(deps, [kind])
    await expect.poll(() => getJob(deps, id)).toMatchObject({ state: 'running' })
    clock.now = later(61)
    await runDueJobs(deps, [kind])
    wakeUp()
    await first
    expect(await getJob(deps, id)).toMatchObject({ state: 'finished', interruptions: 1, lastError: null })
  })

  test('normally releases its job at once without counting the attempt', async () => {
    const { deps } = await openQueue()
    let aborted = false
    const { kind, notes } = noting({
      async run(_deps, { signal }) {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = true
            reject(signal.reason)
          })
        })
      },
    })
    const id = await note(deps, 'x')
    const runner = runJobs(deps, [kind])
    await expect.poll(() => notes).toEqual(['x'])
    await runner.stop()
    expect(aborted).toBe(true)
    expect(await getJob(deps, id)).toMatchObject({ state: 'waiting', attempts: 0, lastError: null })
  })
})

describe.runIf(testEngine === 'postgres')('two processes', () => {
  test('share the work: every job runs once, and never two with one key at a time', async () => {
    const { deps, another } = await openQueue()
    const other = await another()
    onTestFinished(() => other.db.close())
    const running = new Set<string>()
    const { kind, notes } = noting({
      concurrency: 3,
      async run(_deps, { payload }) {
        const key = payload.text.slice(0, 1)
        expect(running).not.toContain(key)
        running.add(key)
        await sleep(5)
        running.delete(key)
      },
    })
    const runners = [runJobs(deps, [kind]), runJobs(other, [kind])]
    onTestFinished(async () => void (await Promise.all(runners.map((runner) => runner.stop()))))
    const texts = Array.from({ length: 40 }, (_, index) => `${'abcd'[index % 4]}${index}`)
    await Promise.all(texts.map((text) => note(deps, text, { key: text.slice(0, 1) })))
    const page = { page: 1, perPage: 100, offset: 0 }
    const finished = async () =>
      (await findJobs(deps, { states: ['finished'], kind: undefined }, page)).rows.map(({ attempts }) => attempts)
    await expect.poll(finished).toEqual(texts.map(() => 1))
    expect([...notes].sort()).toEqual([...texts].sort())
  })

  test('are notified of each other’s jobs at once', async () => {
    const { deps, another } = await openQueue()
    const other = await another()
    onTestFinished(() => other.db.close())
    const { kind, notes } = noting()
    const runner = runJobs(other, [kind])
    onTestFinished(() => runner.stop())
    await sleep(100)
    await note(deps, 'x')
    await expect.poll(() => notes, { interval: 5, timeout: 1000 }).toEqual(['x'])
  })
})

function assertGood(text: string): void {
  if (text === 'bad') throw new Error('this one is bad')
}

/** Requeues the jobs of dead processes without running any. */
async function requeueAbandoned(deps: RootDeps, kinds: readonly AnyJobKind[]): Promise<void> {
  await dispatch(deps, kinds, { free: new Map(), isAbandoned: () => true })
}
