import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf } from '../../findings/scales.ts'
import type { ExportTarget } from '../export.ts'

/** Numbers of vulnerabilities of one severity and one age. */
export interface Tally {
  severity: Severity
  /** Index of the first limit that is not exceeded; the number of limits for older ones. */
  age: number
  open: number
  overdue: number
  added: number
  resolved: number
  dismissed: number
}

interface TallyLimits {
  /** Times of detection that limit the ages, newest first. */
  ages: readonly [string, string, string, string]
  /** Start of the period of changes. */
  since: string
  today: string
}

/** Counts a batch of vulnerabilities by severity and age. */
export async function tallyBatch(
  db: Db,
  ids: readonly number[],
  { ages, since, today }: TallyLimits,
): Promise<Tally[]> {
  const rows = await db.all<Omit<Tally, 'severity'> & { severity: number }>(sql`
    select severity,
      case when created_at > ${ages[0]} then 0 when created_at > ${ages[1]} then 1 when created_at > ${ages[2]} then 2
        when created_at > ${ages[3]} then 3 else 4 end as age,
      count(*) filter (where state in ('detected', 'confirmed')) as open,
      count(*) filter (where state in ('detected', 'confirmed') and due_on < ${today}) as overdue,
      count(*) filter (where created_at > ${since}) as added,
      count(*) filter (where state = 'resolved' and resolved_at > ${since}) as resolved,
      count(*) filter (where state = 'dismissed' and dismissed_at > ${since}) as dismissed
    from vulnerabilities where id in ${db.dialect.integers(ids)} group by 1, 2 order by 1, 2`)
  return rows.map(({ severity, ...tally }) => ({ ...tally, severity: severityOf(severity) }))
}

/** Number of open vulnerabilities of one severity and one assignee, 0 for none. */
export interface OwnerTally {
  assigneeId: number
  severity: Severity
  open: number
}

/** Counts the open vulnerabilities of a batch by assignee. */
export async function tallyOwners(db: Db, ids: readonly number[]): Promise<OwnerTally[]> {
  const rows = await db.all<Omit<OwnerTally, 'severity'> & { severity: number }>(sql`
    select coalesce(assignee_id, 0) as assignee_id, severity, count(*) as open from vulnerabilities
    where id in ${db.dialect.integers(ids)} and state in ('detected', 'confirmed') group by 1, 2 order by 1, 2`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}

export async function listOwnerNames(db: Db, ids: readonly number[]): Promise<{ id: number; username: string }[]> {
  return db.all(sql`select id, username from users where id in ${db.dialect.integers(ids)} order by id`)
}

/** Returns the time at which the author’s previous report of the same target was written. */
export async function findPreviousReport(
  db: Db,
  { id, authorId, projectId, groupId }: ExportTarget & { id: number; authorId: number },
): Promise<string | undefined> {
  const row = await db.one<{ startedAt: string }>(sql`
    select started_at from vulnerability_exports
    where author_id = ${authorId} and coalesce(project_id, 0) = ${projectId ?? 0}
      and coalesce(namespace_id, 0) = ${groupId ?? 0} and format = 'html' and status = 'finished' and id < ${id}
      and schedule_id is null
    order by id desc limit 1`)
  return row?.startedAt
}
