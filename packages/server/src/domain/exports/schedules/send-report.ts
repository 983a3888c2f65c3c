import type { Deps } from '../../deps.ts'
import { queueMail } from '../../mail/mails.ts'
import type { Export } from '../export.ts'
import { updateReportedAt } from './report-schedule-queries.ts'

/** Kind of message whose content `notifications/scheduled-reports.ts` defines. */
export const scheduledReportKind = 'scheduled_report'

/** Data of such a message. */
export interface ScheduledReport {
  export_id: number
  schedule_id: number
}

/** Queues the message with a scheduled report, in the transaction that finishes its export. */
export async function sendScheduledReport(deps: Deps, { id, authorId, scheduleId, startedAt }: Export): Promise<void> {
  if (scheduleId === null) return
  await updateReportedAt(deps.db, scheduleId, startedAt ?? deps.now())
  const draft = { to: { userId: authorId }, eventKey: `report:${id}`, data: { export_id: id, schedule_id: scheduleId } }
  await queueMail<ScheduledReport>(deps, { kind: scheduledReportKind }, draft)
}
