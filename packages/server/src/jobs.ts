import { viewExportedVulnerability } from './api/v4/exports/exported-vulnerability.ts'
import { forgetEndedCounts } from './domain/access/request-counter.ts'
import type { RootDeps } from './domain/deps.ts'
import { expireExports } from './domain/exports/exports.ts'
import { exportJob } from './domain/exports/write.ts'
import { deleteMarkedObjects } from './domain/files/pending-deletions.ts'
import { deliveryJob, forgetOldEvents } from './domain/hooks/deliver.ts'
import { forgetOldKeys } from './domain/idempotency/idempotency.ts'
import type { AnyJobKind } from './domain/jobs/job.ts'
import { forgetOldJobs, replaceWaitingJobs } from './domain/jobs/jobs.ts'
import { runJobs } from './domain/jobs/run-jobs.ts'
import { forgetExpiredMembers } from './domain/members/members.ts'
import { removeOrphanedObjects } from './domain/removal/orphan-cleanup.ts'
import { expireFailedReports } from './domain/reports/imports/import-queue.ts'
import { importKind } from './domain/reports/imports/run-imports.ts'
import { forgetOldBrowsers } from './domain/sign-in/known-browsers.ts'
import { forgetExpiredPasswordLinks } from './domain/sign-in/password-links.ts'
import { forgetExpiredSessions } from './domain/sign-in/sessions.ts'
import { forgetOldMerges } from './domain/topics/merges/merges.ts'
import { expireUploads } from './domain/uploads/expire.ts'
import { forgetOldPromotions, promotionKind } from './domain/vulnerabilities/promotion/bulk-promotion.ts'

const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

interface PeriodicTask {
  name: string
  everyMs: number
  run(deps: RootDeps): Promise<void>
}

/** Periodic tasks. */
const periodicTasks: readonly PeriodicTask[] = [
  { name: 'expire deleted uploads', everyMs: hourMs, run: expireUploads },
  { name: 'delete marked objects', everyMs: 10 * minuteMs, run: deleteMarkedObjects },
  { name: 'remove orphaned objects', everyMs: hourMs, run: removeOrphanedObjects },
  { name: 'forget expired memberships', everyMs: hourMs, run: forgetExpiredMembers },
  { name: 'forget old merges', everyMs: hourMs, run: forgetOldMerges },
  { name: 'forget expired sessions', everyMs: hourMs, run: forgetExpiredSessions },
  { name: 'expire exports', everyMs: hourMs, run: expireExports },
  { name: 'expire reports of failed imports', everyMs: hourMs, run: expireFailedReports },
  { name: 'forget old webhook events', everyMs: hourMs, run: forgetOldEvents },
  { name: 'forget old promotions', everyMs: hourMs, run: forgetOldPromotions },
  { name: 'place waiting jobs again', everyMs: hourMs, run: replaceWaitingJobs },
  { name: 'forget old jobs', everyMs: hourMs, run: forgetOldJobs },
  { name: 'forget expired password links', everyMs: hourMs, run: forgetExpiredPasswordLinks },
  { name: 'forget known browsers', everyMs: hourMs, run: forgetOldBrowsers },
  // The interval equals the window for password attempts, which keeps the table small.
  { name: 'forget counts of requests', everyMs: 5 * minuteMs, run: forgetEndedCounts },
  { name: 'forget old idempotency keys', everyMs: hourMs, run: forgetOldKeys },
]

/** Kinds of jobs that requests queue. */
export const jobKinds: readonly AnyJobKind[] = [
  deliveryJob,
  exportJob(viewExportedVulnerability),
  importKind,
  promotionKind,
]

/** Starts the periodic tasks and the job queue. */
export function startJobs(deps: RootDeps): { stop(): Promise<void> } {
  const timers = periodicTasks.map((task) => startPeriodicTask(deps, task))
  const queue = runJobs(deps, jobKinds)
  return {
    stop() {
      timers.forEach(clearInterval)
      return queue.stop()
    },
  }
}

/** Starts a periodic task. It never overlaps with itself, and its failures are logged. */
function startPeriodicTask(deps: RootDeps, { name, everyMs, run }: PeriodicTask): NodeJS.Timeout {
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
}
