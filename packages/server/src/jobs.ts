import type { RootDeps } from './domain/deps.ts'
import { sweepObjects } from './domain/removal/sweep.ts'

interface Job {
  name: string
  everyMs: number
  run(deps: RootDeps): Promise<void>
}

/** Everything that happens without a request. */
const jobs: readonly Job[] = [{ name: 'sweep objects', everyMs: 60 * 60 * 1000, run: sweepObjects }]

/** Starts the background jobs; a job never runs beside itself, and its failure is logged, not fatal. */
export function startJobs(deps: RootDeps): { stop(): void } {
  const timers = jobs.map(({ name, everyMs, run }) => {
    let isRunning = false
    const tick = async () => {
      if (isRunning) return
      isRunning = true
      try {
        await run(deps)
      } catch (error) {
        deps.log.error({ err: error, job: name }, 'job failed')
      } finally {
        isRunning = false
      }
    }
    return setInterval(() => void tick(), everyMs).unref()
  })
  return { stop: () => timers.forEach(clearInterval) }
}
