import { forgetExpiredSessions } from './domain/access/sessions.ts'
import type { RootDeps } from './domain/deps.ts'
import { removeDoomed } from './domain/files/doomed.ts'
import { sweepObjects } from './domain/removal/sweep.ts'
import { expireUploads } from './domain/uploads/expire.ts'

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

interface Job {
  name: string
  everyMs: number
  run(deps: RootDeps): Promise<void>
}

/** Everything that happens without a request. */
const jobs: readonly Job[] = [
  { name: 'expire deleted uploads', everyMs: hourMs, run: expireUploads },
  { name: 'remove doomed objects', everyMs: 10 * minuteMs, run: removeDoomed },
  { name: 'sweep objects', everyMs: hourMs, run: sweepObjects },
  { name: 'forget expired sessions', everyMs: hourMs, run: forgetExpiredSessions },
]

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
