import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { type Severity, severityOf } from '../findings/scales.ts'

const isOpen = sql`v.state in ('detected', 'confirmed') and v.is_on_default_branch = true`

const dueOn = (db: Db, dates: readonly string[]): Sql =>
  sql`v.due_on is not null and v.due_on in ${db.dialect.texts(dates)}`

/** Open vulnerabilities of a project with one due date, on its default branch. */
export interface DueCount {
  projectId: number
  dueOn: string
  total: number
}

/** Counts the open vulnerabilities with these due dates, in projects that are not archived. */
export async function countDue(db: Db, dates: readonly string[]): Promise<DueCount[]> {
  // `cross join` makes SQLite begin with the projects, for each of which an index has the dates.
  return db.all(sql`
    select v.project_id, v.due_on, count(*) as total
    from projects p cross join vulnerabilities v
    where p.is_archived = false and v.project_id = p.id and ${dueOn(db, dates)} and ${isOpen}
    group by v.project_id, v.due_on order by v.project_id, v.due_on`)
}

export interface DueVulnerability {
  id: number
  projectId: number
  title: string
  severity: Severity
  dueOn: string
}

/** Returns the open vulnerabilities of these projects that are due first, more severe ones first on one day. */
export async function firstDue(
  db: Db,
  { projectIds, dates }: { projectIds: readonly number[]; dates: readonly string[] },
  limit: number,
): Promise<DueVulnerability[]> {
  const rows = await db.all<Omit<DueVulnerability, 'severity'> & { severity: number }>(sql`
    select v.id, v.project_id, v.title, v.severity, v.due_on from vulnerabilities v
    where v.project_id in ${db.dialect.integers(projectIds)} and ${dueOn(db, dates)} and ${isOpen}
    order by v.due_on, v.severity desc, v.id limit ${limit}`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}

/** Returns users who want messages about due dates, by id after the given one. */
export async function listDueDateReaders(db: Db, afterId: number, limit: number): Promise<number[]> {
  const rows = await db.all<{ userId: number }>(sql`
    select user_id from notification_settings where due_dates = true and user_id > ${afterId}
    order by user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}
