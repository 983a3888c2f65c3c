import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { hasFix } from '../../../findings/fix-sql.ts'
import type { Vulnerability } from '../../vulnerability.ts'

const columns = {
  id: 'integer',
  projectId: 'integer',
  ref: 'text',
  reason: 'text',
  until: 'text',
  untilFixed: 'boolean',
} as const

/** Replaces the stored dismissals of vulnerabilities on single refs. */
export async function replaceRefDismissals(db: Db, vulnerabilities: readonly Vulnerability[]): Promise<void> {
  const ids = vulnerabilities.map(({ id }) => id)
  const rows = vulnerabilities.flatMap(({ id, projectId, refDismissals }) =>
    refDismissals.map((dismissal) => ({ ...dismissal, id, projectId })),
  )
  await db.run(sql`delete from ref_dismissals where vulnerability_id in ${db.dialect.integers(ids)}`)
  if (rows.length === 0) return
  await db.run(sql`
    insert into ref_dismissals (vulnerability_id, ref, project_id, reason, until, is_until_fixed)
    select r.id, r.ref, r.project_id, r.reason, r.until, r.until_fixed from ${db.dialect.records(rows, columns)} as r`)
}

/** Returns those of the vulnerabilities that are present on the ref. */
export async function listPresentOn(db: Db, ids: readonly number[], ref: string): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select f.vulnerability_id as id from findings f join occurrences o on o.finding_id = f.id
    where f.vulnerability_id in ${db.dialect.integers(ids)} and o.ref = ${ref} and o.is_present = true
    order by f.vulnerability_id`)
  return rows.map(({ id }) => id)
}

/** Returns the findings of the vulnerabilities. */
export async function listFindingIds(db: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from findings where vulnerability_id in ${db.dialect.integers(ids)} order by id`)
  return rows.map(({ id }) => id)
}

export interface DueOnRef {
  vulnerabilityId: number
  projectId: number
  ref: string
}

/** Returns dismissals that end on this day or ended before, or whose latest report says how to fix the vulnerability. */
export async function listDueOnRefs(db: Db, today: string, limit: number): Promise<DueOnRef[]> {
  return db.all(sql`
    select vulnerability_id, project_id, ref from ref_dismissals where until is not null and until <= ${today}
    union
    select d.vulnerability_id, d.project_id, d.ref from ref_dismissals d
    join findings f on f.vulnerability_id = d.vulnerability_id
    where d.is_until_fixed = true and ${hasFix('f')}
    order by vulnerability_id, ref limit ${limit}`)
}

/** Returns vulnerabilities that are dismissed on the ref. */
export async function listDismissedOn(db: Db, projectId: number, ref: string, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select vulnerability_id as id from ref_dismissals where project_id = ${projectId} and ref = ${ref}
    order by vulnerability_id limit ${limit}`)
  return rows.map(({ id }) => id)
}
