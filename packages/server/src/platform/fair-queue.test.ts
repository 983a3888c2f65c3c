import { describe, expect, test } from 'vitest'
import { openFairQueue } from './fair-queue.ts'

/** Tasks that finish on demand. */
function openTasks() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  return {
    started,
    task: (name: string) => () => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    },
    end(name: string) {
      ends.get(name)?.()
      return new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('a fair queue', () => {
  test('runs as many tasks concurrently as allowed, and returns their results', async () => {
    const queue = openFairQueue({ concurrency: 2, maxWaiting: 10, maxWaitingPerParty: 10 })
    const { task, started, end } = openTasks()
    const results = ['1', '2', '3'].map((name) => queue.run('a', task(name)))
    expect(started).toEqual(['1', '2'])
    await end('1')
    expect(started).toEqual(['1', '2', '3'])
    await end('2')
    await end('3')
    expect(await Promise.all(results)).toEqual(['1', '2', '3'])
  })

  test('alternates between parties', async () => {
    const queue = openFairQueue({ concurrency: 1, maxWaiting: 10, maxWaitingPerParty: 10 })
    const { task, started, end } = openTasks()
    for (const name of ['a1', 'a2', 'a3']) void queue.run('a', task(name))
    void queue.run('b', task('b1'))
    for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('rejects tasks beyond the limit per party and in total, with a retry time', async () => {
    const queue = openFairQueue({ concurrency: 1, maxWaiting: 3, maxWaitingPerParty: 2 })
    const { task } = openTasks()
    for (const name of ['a1', 'a2', 'a3']) void queue.run('a', task(name))
    await expect(queue.run('a', task('a4'))).rejects.toMatchObject({
      cause: { kind: 'too-many-requests', retryAfterSeconds: 1 },
    })
    void queue.run('b', task('b1'))
    await expect(queue.run('c', task('c1'))).rejects.toMatchObject({ cause: { kind: 'busy', retryAfterSeconds: 1 } })
  })

  test('continues after a failed task', async () => {
    const queue = openFairQueue({ concurrency: 1, maxWaiting: 3, maxWaitingPerParty: 2 })
    const failed = queue.run('a', () => Promise.reject(new Error('no')))
    const next = queue.run('a', () => Promise.resolve('yes'))
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('yes')
  })
})
