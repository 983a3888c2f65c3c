import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { type Severity, severityOf } from '../findings/scales.ts'

/** Time from `from` (exclusive) until `until` (inclusive). */
export interface Interval {
  from: string
  until: string
}

export async function findNewestId(db: Db): Promise<number> {
  const row = await db.one<{ id: number }>(sql`select id from vulnerabilities order by id desc limit 1`)
  return row?.id ?? 0
}

interface NewCount {
  projectId: number
  fresh: number
  critical: number
  high: number
}

/** Counts new vulnerabilities by project among a range of ids. `oldest` is the first creation in the whole range. */
export async function listNewCounts(
  db: Db,
  ids: { from: number; below: number },
  { from, until }: Interval,
): Promise<{ rows: NewCount[]; oldest: string | null }> {
  const first = await db.one<{ createdAt: string }>(sql`
    select created_at from vulnerabilities where id >= ${ids.from} and id < ${ids.below} order by id limit 1`)
  const rows = await db.all<NewCount>(sql`
    select project_id, count(*) as fresh, count(case when severity = 7 then 1 end) as critical,
      count(case when severity = 6 then 1 end) as high
    from vulnerabilities where id >= ${ids.from} and id < ${ids.below} and is_on_default_branch = true
      and created_at > ${from} and created_at <= ${until}
    group by project_id order by project_id`)
  return { rows, oldest: first?.createdAt ?? null }
}

/** Counts resolved vulnerabilities by project. */
export async function countResolved(
  db: Db,
  { from, until }: Interval,
): Promise<{ projectId: number; resolved: number }[]> {
  return db.all(sql`
    select project_id, count(*) as resolved from vulnerabilities
    where state = 'resolved' and id > 0 and resolved_at > ${from} and resolved_at <= ${until}
      and is_on_default_branch = true
    group by project_id order by project_id`)
}

export interface OpenCount {
  projectId: number
  severity: Severity
  total: number
}

/** Returns the numbers of open vulnerabilities on the default branch, most severe first. */
export async function listOpenCounts(db: Db, projectIds: readonly number[]): Promise<OpenCount[]> {
  const rows = await db.all<{ projectId: number; severity: number; total: number }>(sql`
    select project_id, severity, cast(sum(total) as bigint) as total from vulnerability_counts
    where project_id in ${db.dialect.integers(projectIds)} and is_on_default_branch = true
      and state in ('detected', 'confirmed') and total > 0
    group by project_id, severity order by project_id, severity desc`)
  return rows.map(({ severity, ...row }) => ({ ...row, severity: severityOf(severity) }))
}
