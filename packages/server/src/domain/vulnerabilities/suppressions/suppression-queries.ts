import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { StoredSuppression, Suppression } from './suppression.ts'

const selectSuppressions: Sql = sql`
  select s.finding_id, s.scanner_id, c.name as scanner_name, s.source, s.justification, s.reason, s.until, s.is_applied,
    f.vulnerability_id, v.state
  from source_suppressions s join findings f on f.id = s.finding_id join scanners c on c.id = s.scanner_id
  left join vulnerabilities v on v.id = f.vulnerability_id`

export async function listSuppressionsOfProject(db: Db, projectId: number): Promise<StoredSuppression[]> {
  return db.all(sql`${selectSuppressions} where s.project_id = ${projectId} order by s.finding_id`)
}

export async function listSuppressions(db: Db, findingIds: readonly number[]): Promise<StoredSuppression[]> {
  return db.all(sql`
    ${selectSuppressions} where s.finding_id in ${db.dialect.integers(findingIds)} order by s.finding_id`)
}

const columns = { findingId: 'integer', source: 'text', justification: 'text', reason: 'text', until: 'text' } as const

/** Stores suppressions with the current scanners of their findings. */
export async function upsertSuppressions(
  db: Db,
  projectId: number,
  suppressions: readonly (Suppression & { findingId: number })[],
): Promise<void> {
  await db.run(sql`
    insert into source_suppressions (finding_id, project_id, scanner_id, source, justification, reason, until, is_applied)
    select r.finding_id, ${projectId}, f.scanner_id, r.source, r.justification, r.reason, r.until, false
    from ${db.dialect.records(suppressions, columns)} as r join findings f on f.id = r.finding_id
    where true order by r.finding_id
    on conflict (finding_id) do update set scanner_id = excluded.scanner_id, source = excluded.source,
      justification = excluded.justification, reason = excluded.reason, until = excluded.until`)
}

export async function deleteSuppressions(db: Db, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from source_suppressions where finding_id in ${db.dialect.integers(findingIds)}`)
}

/** Records whether suppressions have dismissed their vulnerabilities. */
export async function markApplied(db: Db, findingIds: readonly number[], isApplied: boolean): Promise<void> {
  await db.run(sql`
    update source_suppressions set is_applied = ${isApplied} where finding_id in ${db.dialect.integers(findingIds)}`)
}
