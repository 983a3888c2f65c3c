import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findBlocking, findExpensive } from './cost.ts'

const letters = (size: number) => 'x'.repeat(size)
const digits = (size: number) => '1'.repeat(size)

test('findExpensive reports superlinear work', async () => {
  // Cubic, so that the growth stays far above the limit on a busy machine.
  const subject = { run: (text: string) => /\d+\d+$/.test(`${text}!`), plain: letters, hostile: { digits } }
  const problems = await findExpensive(subject, { size: 256, maxRatio: Number.POSITIVE_INFINITY })
  expect(problems).toEqual([expect.stringMatching(/^digits: .* times as much for twice the length$/)])
})

test('findExpensive reports work that takes much longer than for plain text', async () => {
  const run = (text: string) => {
    const rounds = text.startsWith('1') ? 1000 : 1
    for (let round = 0; round < rounds; round++) for (const character of text) if (character === '2') return
  }
  const problems = await findExpensive({ run, plain: letters, hostile: { digits } }, { size: 16 * 1024 })
  expect(problems).toEqual([expect.stringMatching(/^digits: .* times as much as plain input of /)])
})

test('findExpensive does not report linear work, whether it succeeds, rejects or waits', async () => {
  const run = async (text: string) => {
    await Promise.resolve()
    if (text.replaceAll('1', '22').startsWith('2')) throw new Error('refused')
  }
  expect(await findExpensive({ run, plain: letters, hostile: { digits } })).toEqual([])
})

test('findBlocking reports work that does not yield to the event loop', async () => {
  const spin = (ms: number) => {
    const { user, system } = process.cpuUsage()
    for (let used = 0; used < ms * 1000; ) {
      const now = process.cpuUsage()
      used = now.user + now.system - user - system
    }
  }
  const run = async (text: string) => {
    if (text.startsWith('x')) return
    for (let part = 0; part < 20; part++) {
      spin(10)
      if (text.startsWith('1')) continue
      await setImmediate()
    }
  }
  const words = (size: number) => 'word '.repeat(size / 5)
  const problems = await findBlocking({ run, plain: letters, hostile: { digits } }, 100)
  expect(problems).toEqual([expect.stringMatching(/^digits: blocks the event loop for \d+\.\d ms with 100$/)])
  expect(
    await findBlocking({ run: (text) => run(text).then(() => spin(1)), plain: letters, hostile: { words } }),
  ).toEqual([])
})
