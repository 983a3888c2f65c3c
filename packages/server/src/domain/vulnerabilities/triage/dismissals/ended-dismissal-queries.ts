import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { hasFix } from '../../../findings/fix-sql.ts'

/** Returns those of the vulnerabilities whose latest report says how to fix them. */
export async function listWithFix(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select f.vulnerability_id as id from findings f
    where f.vulnerability_id in ${db.dialect.integers(ids)} and ${hasFix('f')} order by f.vulnerability_id`)
  return rows.map(({ id }) => id)
}

/** Returns vulnerabilities that are dismissed until a fix is available, which these findings report. */
export async function listFixed(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select v.id from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(findingIds)} and v.is_dismissed_until_fixed = true and ${hasFix('f')}
    order by v.id`)
  return rows.map(({ id }) => id)
}

export interface DueDismissal {
  id: number
  projectId: number
  dismissedUntil: string
}

/** Returns dismissals that end on this day or ended before, after those that the caller has, by day and id. */
export async function listEndedUntil(
  db: Db,
  today: string,
  after: DueDismissal | undefined,
  limit: number,
): Promise<DueDismissal[]> {
  return db.all(sql`
    select id, project_id, dismissed_until from vulnerabilities
    where dismissed_until is not null and dismissed_until <= ${today}
      and (dismissed_until, id) > (${after?.dismissedUntil ?? ''}, ${after?.id ?? 0})
    order by dismissed_until, id limit ${limit}`)
}

/** Returns dismissals until a fix is available, after an id, in id order. */
export async function listUntilFixed(
  db: Db,
  afterId: number,
  limit: number,
): Promise<{ id: number; projectId: number }[]> {
  return db.all(sql`
    select id, project_id from vulnerabilities
    where is_dismissed_until_fixed = true and id > ${afterId} order by id limit ${limit}`)
}
