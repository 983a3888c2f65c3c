import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Returns those of the projects whose default branch was ever scanned. */
export async function listScanned(db: Db, projectIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select p.id from projects p
    where p.id in ${db.dialect.integers(projectIds)} and exists (
      select 1 from imports i where i.project_id = p.id and i.ref = p.default_branch and i.shown_at is not null)`)
  return rows.map(({ id }) => id)
}

/** Returns the times of the last scans of the default branches of those projects that were scanned. */
export async function listLastScans(db: Db, projectIds: readonly number[]): Promise<{ id: number; at: string }[]> {
  const rows = await db.all<{ id: number; at: string | null }>(sql`
    select p.id, (
      select max(i.shown_at) from imports i
      where i.project_id = p.id and i.ref = p.default_branch and i.shown_at is not null) as at
    from projects p where p.id in ${db.dialect.integers(projectIds)} order by p.id`)
  return rows.flatMap(({ id, at }) => (at === null ? [] : [{ id, at }]))
}

/** Returns the number of findings that await promotion on the default branch of each project. Each count stops at `max`. */
export function countBacklogs(
  db: Db,
  projectIds: readonly number[],
  max: number,
): Promise<{ id: number; waiting: number }[]> {
  return db.all(sql`
    select p.id, (
      select count(*) from (
        select 1 from findings f ${db.dialect.indexedBy('findings_unpromoted')}
        join occurrences o on o.finding_id = f.id and o.ref = p.default_branch and o.is_present = true
        where f.project_id = p.id and f.vulnerability_id is null limit ${max}) as counted) as waiting
    from projects p where p.id in ${db.dialect.integers(projectIds)} order by p.id`)
}
