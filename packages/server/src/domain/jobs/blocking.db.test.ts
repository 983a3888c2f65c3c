import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { unavailable } from '../../platform/failure.ts'
import { claimAndDie, later, note, noting, openQueue, start } from '../../testing/jobs.ts'
import { enqueue } from './job.ts'
import { getJob, replaceWaitingJobs, runJobAgain } from './jobs.ts'
import { openLeases } from './leases.ts'
import { runDueJobs } from './run-jobs.ts'

describe('jobs with the same key are not blocked', () => {
  test('when an older one appears while a younger one runs, and its process ends', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting()
    // Ids are assigned before the commit.
    await note(deps, 'older', { key: 'k' })
    const younger = await note(deps, 'younger', { key: 'k' })
    await deps.db.run(sql`update jobs set state = 'finished', stage = 'over' where id < ${younger}`)
    expect(await claimAndDie(deps, [kind])).toMatchObject([{ job: { id: younger } }])
    await deps.db.run(sql`update jobs set state = 'waiting', stage = 'new' where id < ${younger}`)
    await note(deps, 'other', { key: 'other' })
    expect(await runDueJobs(deps, [kind])).toBe(1)
    clock.now = later(16)
    expect(await runDueJobs(deps, [kind])).toBe(2)
    expect(notes).toEqual(['other', 'older', 'younger'])
  })

  test('when an older one is queued after a younger one', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting()
    const older = await note(deps, 'older', { key: 'k' })
    await deps.db.run(sql`update jobs set state = 'finished', stage = 'over' where id = ${older}`)
    await note(deps, 'younger', { key: 'k' })
    await deps.db.run(sql`update jobs set stage = 'queued', lane = 'note', ticket = 0 where id > ${older}`)
    await deps.db.run(sql`update jobs set state = 'waiting', stage = 'new' where id = ${older}`)
    expect(await runDueJobs(deps, [kind])).toBe(2)
    expect(notes).toEqual(['older', 'younger'])
  })

  test('when a failed one is retried while a younger one runs, and its process ends', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    let isBroken = true
    const { kind, notes } = noting({
      maxAttempts: 1,
      run: async () => {
        if (isBroken) throw new Error('broken')
      },
    })
    const first = await note(deps, 'first', { key: 'k' })
    await runDueJobs(deps, [kind])
    isBroken = false
    await note(deps, 'second', { key: 'k' })
    await note(deps, 'third', { key: 'k' })
    expect(await claimAndDie(deps, [kind])).toHaveLength(1)
    await runJobAgain(deps, first)
    clock.now = later(16)
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['first', 'first', 'second', 'third'])
  })

  test('after the hourly task, when the job they wait for was deleted manually', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({ concurrency: 1 })
    for (const text of ['a', 'b']) await note(deps, text, { key: 'k' })
    const [running] = await claimAndDie(deps, [kind])
    await deps.db.run(sql`delete from jobs where id = ${running?.job.id}`)
    expect(await runDueJobs(deps, [kind])).toBe(0)
    await replaceWaitingJobs(deps)
    expect(await runDueJobs(deps, [kind])).toBe(1)
    expect(notes).toEqual(['b'])
  })
})

describe('a clock that was an hour ahead and is corrected', () => {
  test('does not delay jobs that were queued or failed meanwhile, or others with their keys', async () => {
    const clock = { now: later(3600) }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting({
      run: async (_deps, { payload, attempt }) => {
        if (payload.text === 'failed' && attempt === 1) throw new Error('once')
      },
    })
    await note(deps, 'failed', { key: 'k' })
    await runDueJobs(deps, [kind])
    await note(deps, 'queued', { key: 'l' })
    clock.now = start
    for (const key of ['k', 'l']) await note(deps, `after ${key}`, { key })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['failed', 'failed', 'queued', 'after k', 'after l'])
  })

  test('does not delay a job that was placed meanwhile', async () => {
    const clock = { now: later(3600) }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting()
    await note(deps, 'x', { runAt: later(3700) })
    await runDueJobs(deps, [kind])
    clock.now = start
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['x'])
  })

  test('keeps the scheduled time of a waiting job', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind } = noting()
    await note(deps, 'x', { runAt: later(7200) })
    expect(await runDueJobs(deps, [kind])).toBe(0)
    clock.now = later(-30) // simulates clock skew between machines
    expect(await runDueJobs(deps, [kind])).toBe(0)
    clock.now = later(7200)
    expect(await runDueJobs(deps, [kind])).toBe(1)
  })

  test('releases the job of a process that ended', async () => {
    const clock = { now: later(3600) }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting()
    await note(deps, 'x')
    await claimAndDie(deps, [kind])
    clock.now = start
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['x'])
  })
})

test('a clock that jumps ahead does not take a job from a process that renews its lease', async () => {
  const clock = { now: start }
  const { deps } = await openQueue({ clock })
  const { kind } = noting()
  const id = await note(deps, 'x')
  await claimAndDie(deps, [kind])
  const [leased] = await deps.db.all<{ lease: string; leaseExpiresAt: string }>(sql`
    select lease, lease_expires_at from jobs where id = ${id}`)
  if (!leased) throw new Error('the job is leased')
  clock.now = later(3600)
  const leases = openLeases(deps)
  const seen = { id, kind: 'note', payload: {}, lane: 'note', lease: leased.lease, interruptions: 0 }
  // A lease counts as expired only if it stays unchanged for longer than a heartbeat.
  expect(leases.isAbandoned({ ...seen, leaseExpiresAt: leased.leaseExpiresAt })).toBe(false)
  expect(leases.isAbandoned({ ...seen, leaseExpiresAt: later(20) })).toBe(false)
  leases.close()
})

describe('an outage', () => {
  test('counts as no attempt for any kind of job, however long it lasts', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    let isAway = true
    const { kind, notes } = noting({
      maxAttempts: 1,
      run: async () => {
        if (isAway) throw unavailable('the object store')
      },
    })
    const id = await note(deps, 'x')
    const waits: number[] = []
    for (let count = 1; count <= 10; count++) {
      await runDueJobs(deps, [kind])
      const job = await getJob(deps, id)
      expect(job).toMatchObject({ state: 'waiting', attempts: 0, outages: count })
      expect(job.lastError).toMatch(/^unavailable/)
      waits.push(Date.parse(job.runAt) - Date.parse(clock.now))
      clock.now = job.runAt
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(120_000)
    isAway = false
    await runDueJobs(deps, [kind])
    expect(await getJob(deps, id)).toMatchObject({ state: 'finished', attempts: 1 })
    expect(notes).toHaveLength(11)
  })

  test('at the end of a run is retried, so that the run does not count as interrupted', async () => {
    const { deps } = await openQueue()
    let isAway = false
    const { kind } = noting({
      run: async () => {
        isAway = true
      },
    })
    const transaction: typeof deps.db.transaction = (work, options) => {
      if (!isAway) return deps.db.transaction(work, options)
      isAway = false
      return Promise.reject(unavailable('the database'))
    }
    const id = await note(deps, 'x')
    await runDueJobs({ ...deps, db: { ...deps.db, transaction } }, [kind])
    expect(await getJob(deps, id)).toMatchObject({ state: 'finished', attempts: 1, interruptions: 0 })
  })
})

test('a job of an unknown kind waits for another process', async () => {
  const { deps } = await openQueue()
  const { kind } = noting()
  const strange = await enqueue(deps, { kind: 'strange', key: 'k', payload: {} })
  await note(deps, 'x', { key: 'l' })
  expect(await runDueJobs(deps, [kind])).toBe(1)
  expect(await getJob(deps, strange)).toMatchObject({ state: 'waiting', attempts: 0 })
})
