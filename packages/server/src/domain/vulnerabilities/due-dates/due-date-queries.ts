import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf, severityRanks } from '../../findings/scales.ts'
import type { Vulnerability } from '../vulnerability.ts'
import type { DueDateRule } from './due-date-policy.ts'

/** Open vulnerabilities of one severity in a project, which an index has in the order of their ids. */
export interface OpenRange {
  projectId: number
  isOnDefaultBranch: boolean
  severity: Severity
  total: number
}

/** Returns the ranges with open vulnerabilities of these projects, and their numbers of rows. */
export async function listOpenRanges(db: Db, projectIds: readonly number[]): Promise<OpenRange[]> {
  const rows = await db.all<Omit<OpenRange, 'severity'> & { severity: number }>(sql`
    select project_id, is_on_default_branch, severity, cast(sum(total) as bigint) as total from vulnerability_counts
    where project_id in ${db.dialect.integers(projectIds)} and state in ('detected', 'confirmed') and total > 0
    group by project_id, is_on_default_branch, severity order by project_id, is_on_default_branch, severity`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}

const isIn = ({ projectId, isOnDefaultBranch, severity }: OpenRange, belowId: number): Sql => sql`
  project_id = ${projectId} and is_on_default_branch = ${isOnDefaultBranch} and severity = ${severityRanks[severity]}
    and id < ${belowId}`

const isOpen = sql`state in ('detected', 'confirmed')`

/** Returns rows of the range before an id, in descending order, with what decides whether a policy sets their date. */
export async function listDatedRows(
  db: Db,
  range: OpenRange,
  belowId: number,
  limit: number,
): Promise<Pick<Vulnerability, 'id' | 'state' | 'isDueOnOverridden'>[]> {
  return db.all(sql`
    select id, state, is_due_on_overridden from vulnerabilities where ${isIn(range, belowId)}
    order by id desc limit ${limit}`)
}

/** Vulnerabilities with the same due date and the same day from which a policy counts. */
export interface DateGroup {
  start: string | null
  dueOn: string | null
  isOverridden: boolean
  total: number
}

/** Groups the open vulnerabilities among the next rows of the range. `last` is the id to continue before. */
export async function groupByDates(
  db: Db,
  range: OpenRange,
  countedFrom: DueDateRule['countedFrom'],
  { belowId, limit }: { belowId: number; limit: number },
): Promise<{ groups: DateGroup[]; last: number | null }> {
  const start = countedFrom === 'fix' ? sql`fix_available_at` : sql`created_at`
  const end = await db.one<{ id: number }>(sql`
    select id from vulnerabilities where ${isIn(range, belowId)} order by id desc limit 1 offset ${limit - 1}`)
  const rows = await db.all<Omit<DateGroup, 'isOverridden'> & { isOverridden: boolean | number }>(sql`
    select ${db.dialect.day(start)} as start, due_on, is_due_on_overridden as is_overridden, count(*) as total
    from vulnerabilities where ${isIn(range, belowId)} and id >= ${end?.id ?? 0} and ${isOpen}
    group by 1, 2, 3`)
  return {
    groups: rows.map((row) => ({ ...row, isOverridden: Boolean(row.isOverridden) })),
    last: end?.id ?? null,
  }
}

/** Sets due dates of vulnerabilities, which the caller must have locked. */
export async function updateDueDates(db: Db, rows: readonly Pick<Vulnerability, 'id' | 'dueOn'>[]): Promise<void> {
  await db.run(sql`
    update vulnerabilities set due_on = r.due_on, version = vulnerabilities.version + 1
    from ${db.dialect.records(rows, { id: 'integer', dueOn: 'text' })} as r where vulnerabilities.id = r.id`)
}
