import { describe, expect, test } from 'vitest'
import { later, note, noting, openQueue, start } from '../../testing/jobs.ts'
import type { RootDeps } from '../deps.ts'
import { type Claimed, dispatch } from './dispatch.ts'
import type { AnyJobKind } from './job.ts'
import { openLeases } from './leases.ts'
import { runJob } from './run-job.ts'
import { freeCapacity, runDueJobs } from './run-jobs.ts'

const textOf = ({ job }: Claimed) => (job.payload as { text: string }).text // what `note` queues

/** Claims what one process can run in addition to its running jobs. */
async function claim(deps: RootDeps, kind: AnyJobKind, running: readonly Claimed[] = []): Promise<Claimed[]> {
  const free = freeCapacity(
    [kind],
    running.map(({ job }) => job.lane ?? job.kind),
  )
  return (await dispatch(deps, [kind], { free, isAbandoned: () => false })).claimed
}

async function end(deps: RootDeps, claimed: Claimed): Promise<void> {
  const leases = openLeases(deps)
  await runJob(deps, claimed, leases, new AbortController().signal)
  leases.close()
}

describe('owners of jobs alternate', () => {
  test('although one has queued many jobs before', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({ perOwner: 2 })
    for (let index = 1; index <= 6; index++) await note(deps, `a${index}`, { owner: 'a', key: `a${index}` })
    for (let index = 1; index <= 3; index++) await note(deps, `b${index}`, { owner: 'b', key: `b${index}` })
    await note(deps, 'c1', { owner: 'c' })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'b3', 'a4', 'a5', 'a6'])
  })

  test('although the first job of one is queued while jobs of another run', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({ perOwner: 2 })
    for (let index = 1; index <= 50; index++) await note(deps, `a${index}`, { owner: 'a' })
    const [first] = await claim(deps, { ...kind, concurrency: 1 })
    await note(deps, 'b', { owner: 'b' })
    if (first) await end(deps, first)
    await runDueJobs(deps, [kind])
    expect(notes.slice(0, 3)).toEqual(['a1', 'a2', 'b'])
  })

  test('within the number of places that the kind allows per owner', async () => {
    const { deps } = await openQueue()
    const { kind } = noting({ concurrency: 8, perOwner: 2 })
    for (let index = 1; index <= 9; index++) await note(deps, `a${index}`, { owner: 'a' })
    const running = await claim(deps, kind)
    expect(running.map(textOf)).toEqual(['a1', 'a2'])
    expect(await claim(deps, kind, running)).toEqual([])
    await note(deps, 'b1', { owner: 'b' })
    expect((await claim(deps, kind, running)).map(textOf)).toEqual(['b1'])
    for (const claimed of running) await end(deps, claimed)
    expect((await claim(deps, kind)).map(textOf)).toEqual(['a3', 'a4'])
  })

  test('as do the keys of one owner', async () => {
    const { deps } = await openQueue()
    const { kind, notes } = noting({ perOwner: 1 })
    for (const text of ['x1', 'x2', 'x3', 'y1']) await note(deps, text, { owner: 'a', key: text.slice(0, 1) })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['x1', 'y1', 'x2', 'x3'])
  })

  test('without a place for a job that waits for its next attempt', async () => {
    const clock = { now: start }
    const { deps } = await openQueue({ clock })
    const { kind, notes } = noting({
      perOwner: 1,
      run: async (_deps, { payload, attempt }) => {
        if (payload.text === 'a1' && attempt === 1) throw new Error('once')
      },
    })
    for (const text of ['a1', 'a2', 'a3']) await note(deps, text, { owner: 'a' })
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['a1', 'a2', 'a3'])
    clock.now = later(10)
    await runDueJobs(deps, [kind])
    expect(notes).toEqual(['a1', 'a2', 'a3', 'a1'])
  })
})

test('a job in a separate lane does not wait for places in others', async () => {
  const { deps } = await openQueue()
  const { kind } = noting({ concurrency: 1, lanes: { small: { concurrency: 1, perOwner: 1 } } })
  for (const text of ['large 1', 'large 2']) await note(deps, text, { owner: 'a' })
  const running = await claim(deps, kind)
  expect(running.map(textOf)).toEqual(['large 1'])
  await note(deps, 'small', { owner: 'b', lane: 'small' })
  const more = await claim(deps, kind, running)
  expect(more.map(textOf)).toEqual(['small'])
  expect(await claim(deps, kind, [...running, ...more])).toEqual([])
})
