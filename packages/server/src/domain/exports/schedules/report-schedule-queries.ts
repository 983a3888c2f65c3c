import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { ReportSchedule } from './report-schedule.ts'

type Place = Pick<ReportSchedule, 'projectId' | 'namespaceId'>

const isOf = ({ projectId, namespaceId }: Place): Sql =>
  projectId === null ? sql`namespace_id = ${namespaceId}` : sql`project_id = ${projectId}`

/** Returns the user's schedules of a place. */
export async function listSchedules(db: Db, place: Place, userId: number): Promise<ReportSchedule[]> {
  return db.all(sql`
    select ${columns} from report_schedules where ${isOf(place)} and user_id = ${userId} order by id`)
}

export async function findSchedule(db: Db, id: number): Promise<ReportSchedule | undefined> {
  return db.one(sql`select ${columns} from report_schedules where id = ${id}`)
}

export async function insertSchedule(
  db: Db,
  draft: Omit<ReportSchedule, 'id' | 'reportedAt' | 'createdAt' | 'updatedAt'>,
  now: string,
): Promise<ReportSchedule> {
  const row = await db.one<ReportSchedule>(sql`
    insert into report_schedules (project_id, namespace_id, user_id, as_admin, period, day, hour, time_zone, next_at,
      created_at, updated_at)
    values (${draft.projectId}, ${draft.namespaceId}, ${draft.userId}, ${draft.asAdmin}, ${draft.period}, ${draft.day},
      ${draft.hour}, ${draft.timeZone}, ${draft.nextAt}, ${now}, ${now})
    returning ${columns}`)
  if (!row) throw new Error('an inserted schedule returned no row')
  return row
}

export async function updateSchedule(
  db: Db,
  id: number,
  { period, day, hour, timeZone, nextAt, asAdmin }: Omit<ReportSchedule, 'id'>,
  now: string,
): Promise<void> {
  await db.run(sql`
    update report_schedules set period = ${period}, day = ${day}, hour = ${hour}, time_zone = ${timeZone},
      next_at = ${nextAt}, as_admin = ${asAdmin}, updated_at = ${now}
    where id = ${id}`)
}

/** Returns false when the schedule does not exist or belongs to another user. */
export async function deleteSchedule(db: Db, id: number, userId: number): Promise<boolean> {
  return (await db.run(sql`delete from report_schedules where id = ${id} and user_id = ${userId}`)) === 1
}

/** Returns schedules whose next report is due, oldest first. */
export async function listDueSchedules(db: Db, now: string, limit: number): Promise<ReportSchedule[]> {
  return db.all(sql`
    select ${columns} from report_schedules where next_at <= ${now} order by next_at, id limit ${limit}`)
}

/** Moves a schedule to its next time. False when another process has done it, or its user has changed it. */
export async function advanceSchedule(
  db: Db,
  { id, nextAt }: Pick<ReportSchedule, 'id' | 'nextAt'>,
  next: string,
): Promise<boolean> {
  return (
    (await db.run(sql`update report_schedules set next_at = ${next} where id = ${id} and next_at = ${nextAt}`)) === 1
  )
}

export async function updateReportedAt(db: Db, id: number, reportedAt: string): Promise<void> {
  await db.run(sql`update report_schedules set reported_at = ${reportedAt} where id = ${id}`)
}

const columns: Sql = sql`id, project_id, namespace_id, user_id, as_admin, period, day, hour, time_zone, next_at,
  reported_at, created_at, updated_at`
