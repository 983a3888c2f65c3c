import { expect, test } from 'vitest'
import { anySeed, crash } from './crash/crash.ts'
import { temporaryFolder } from './process.ts'

/** The same with 200 kills: `npx tsx packages/server/tests/kill.ts --kills 200`. */
test('acknowledged writes survive a kill, and others are complete or absent', async () => {
  const seed = anySeed()
  const summary = await crash({ folder: await temporaryFolder(), kills: 4, seed }).catch((error: unknown) => {
    throw new Error(`seed ${seed}`, { cause: error })
  })
  expect(summary.acknowledged).toBeGreaterThan(20)
  expect(summary.slowestStartMs).toBeLessThan(30_000)
})
