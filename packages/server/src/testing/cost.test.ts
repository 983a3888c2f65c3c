import { expect, test } from 'vitest'
import { findExpensive } from './cost.ts'

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
  expect(problems).toEqual([expect.stringMatching(/^digits: .*: more than 30 times as much$/)])
})

test('findExpensive does not report linear work, whether it succeeds, rejects or waits', async () => {
  const run = async (text: string) => {
    await Promise.resolve()
    if (text.replaceAll('1', '22').startsWith('2')) throw new Error('refused')
  }
  expect(await findExpensive({ run, plain: letters, hostile: { digits } })).toEqual([])
})
