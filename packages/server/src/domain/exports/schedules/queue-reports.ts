import { type Deps, type RootDeps, transaction } from '../../deps.ts'
import { endScheduledExports } from '../export-queries.ts'
import { queueExport } from '../exports.ts'
import { nextTime } from './next-time.ts'
import type { ReportSchedule } from './report-schedule.ts'
import { advanceSchedule, listDueSchedules } from './report-schedule-queries.ts'

const batchSize = 100
/** A server that was down sends a report up to this much later. */
const maxDelayMs = 24 * 60 * 60 * 1000

/**
 * Queues the reports that are due, each as an export in the name of its user. The schedule moves on in the same
 * transaction, so a period has one report, whichever process finds it first.
 */
export async function queueScheduledReports(deps: RootDeps): Promise<void> {
  if (!deps.settings.mail) return
  for (let due = batchSize; due === batchSize; ) {
    const schedules = await listDueSchedules(deps.db, deps.now(), batchSize)
    for (const schedule of schedules) await queueReport(deps, schedule)
    due = schedules.length
  }
}

async function queueReport(deps: RootDeps, schedule: ReportSchedule): Promise<void> {
  await transaction(deps, async (deps) => {
    const now = deps.now()
    const isOurs = await advanceSchedule(deps.db, schedule, nextTime(schedule, now))
    if (!isOurs || Date.parse(now) - Date.parse(schedule.nextAt) > maxDelayMs) return
    await queueExport(deps, {
      ...{ projectId: schedule.projectId, groupId: schedule.namespaceId, scheduleId: schedule.id },
      ...{ authorId: schedule.userId, asAdmin: schedule.asAdmin, format: 'html', sendsEmail: true, now },
      filter: schedule.reportedAt === null ? {} : { changesSince: schedule.reportedAt },
    })
  })
}

/** Sends no report that was due before a restore, since the former server may have sent it. */
export async function skipDueReports(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now()
  for (let due = batchSize; due === batchSize; ) {
    const schedules = await listDueSchedules(deps.db, now, batchSize)
    for (const schedule of schedules) await advanceSchedule(deps.db, schedule, nextTime(schedule, now))
    due = schedules.length
  }
  await endScheduledExports(deps.db, { error: 'requested before a restore; it may have been sent', now })
}
