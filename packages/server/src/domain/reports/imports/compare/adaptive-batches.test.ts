import { setImmediate } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { receiveAll, sendAll } from '../../../../platform/port-stream.ts'
import type { ImportedFinding } from '../../comparison/imported-finding.ts'
import { forEachAdaptiveBatch } from './adaptive-batches.ts'

/** Returns findings of which only the number and the length of the row matter here. */
function findings(count: number, characters = 0): ImportedFinding[] {
  const row = ['x'.repeat(characters)]
  // Batches depend on the row alone.
  return Array.from({ length: count }, () => ({ row }) as unknown as ImportedFinding)
}

/** Returns the steps of processing these batches: the number of findings of each call of `work`, and `end`. */
async function stepsOf(
  batches: AsyncIterable<readonly ImportedFinding[]>,
  canContinue = () => true,
): Promise<(number | 'end')[]> {
  const steps: (number | 'end')[] = []
  await forEachAdaptiveBatch(batches, {
    work: async (slice) => void steps.push(slice.length),
    isBlocking: true,
    endSeries: async () => void steps.push('end'),
    canContinue,
  })
  return steps
}

const sumOf = (steps: readonly (number | 'end')[]): number =>
  steps.reduce<number>((sum, step) => sum + Number(step === 'end' ? 0 : step), 0)

describe('a series of batches', () => {
  test('continues while more findings are available', async () => {
    const steps = await stepsOf(
      (async function* () {
        for (let n = 0; n < 6; n++) yield findings(50)
      })(),
    )
    expect(sumOf(steps)).toBe(300)
    expect(steps.filter((step) => step === 'end')).toHaveLength(1)
    expect(steps.at(-1)).toBe('end')
  })

  test('continues with findings that another thread has sent', async () => {
    const { port1, port2 } = new MessageChannel()
    const sent = { row: ['x'] }
    async function* messages() {
      for (let n = 0; n < 20; n++) yield { batch: Array(50).fill(sent) }
    }
    void sendAll(port1, messages(), { ahead: 20 })
    async function* received() {
      for await (const { batch } of receiveAll<{ batch: ImportedFinding[] }>(port2)) yield batch
    }
    const steps = await stepsOf(received())
    expect(sumOf(steps)).toBe(1000)
    expect(steps.filter((step) => step === 'end').length).toBeLessThanOrEqual(3)
  })

  test('ends before it waits for findings', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const steps: (number | 'end')[] = []
    const done = forEachAdaptiveBatch(
      (async function* () {
        yield findings(30)
        await released
        yield findings(30)
      })(),
      {
        work: async (slice) => void steps.push(slice.length),
        isBlocking: true,
        endSeries: async () => void steps.push('end'),
        canContinue: () => true,
      },
    )
    while (!steps.includes('end')) await setImmediate()
    const before = [...steps]
    release()
    await done
    expect(before).toEqual([25, 'end'])
    expect(sumOf(steps)).toBe(60)
    expect(steps.at(-1)).toBe('end')
  })

  test('ends after each batch when others wait', async () => {
    const steps = await stepsOf(
      (async function* () {
        yield findings(200)
      })(),
      () => false,
    )
    expect(steps.length).toBeGreaterThan(2)
    expect(steps.filter((_, index) => index % 2 === 1)).toEqual(steps.flatMap((step) => (step === 'end' ? [] : 'end')))
  })

  test.each([
    ['findings', 2000, 0],
    ['characters', 120, 1024 * 1024],
  ])('ends at the maximum number of %s', async (_, count, characters) => {
    const steps = await stepsOf(
      (async function* () {
        yield findings(count, characters)
      })(),
    )
    expect(sumOf(steps)).toBe(count)
    expect(steps.filter((step) => step === 'end').length).toBeGreaterThan(2)
  })
})

test('rethrows an error of the work or the source, and closes the source', async () => {
  let isClosed = false
  async function* source(failsAtEnd: boolean) {
    try {
      for (let n = 0; n < 3; n++) yield findings(50)
      if (failsAtEnd) throw new Error('unreadable')
    } finally {
      isClosed = true
    }
  }
  await expect(stepsOf(source(true))).rejects.toThrow('unreadable')
  expect(isClosed).toBe(true)
  isClosed = false
  const failing = forEachAdaptiveBatch(source(false), {
    work: () => Promise.reject(new Error('not stored')),
    isBlocking: true,
    endSeries: async () => {},
    canContinue: () => true,
  })
  await expect(failing).rejects.toThrow('not stored')
  while (!isClosed) await setImmediate()
})
