import sql, { empty } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { hasFix } from '../../findings/fix-sql.ts'
import type { ScanRules } from './scan-rules.ts'

/**
 * Returns vulnerabilities whose stored fields differ from their findings, or that were absent from the default branch.
 */
export async function listOutdated(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select v.id from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(findingIds)}
      and (v.is_on_default_branch = false or v.is_resolved_on_default_branch = true or v.state = 'resolved' or v.confidence <> f.confidence
        or v.scanner_id <> f.scanner_id
        or (v.severity <> f.severity and v.is_severity_overridden = false)
        or (v.fix_available_at is not null) <> ${hasFix('f')}
        or (v.title <> trim(f.name) and length(f.name) <= 255))
    order by v.id`)
  return rows.map(({ id }) => id)
}

/**
 * Returns vulnerabilities to mark as absent. Excludes secrets, which stay leaked, and manually created vulnerabilities.
 */
export async function listToMarkAbsent(db: Db, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select v.id from findings f join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(findingIds)} and v.is_resolved_on_default_branch = false
      and v.report_type not in ('secret_detection', 'generic')
    order by v.id`)
  return rows.map(({ id }) => id)
}

/**
 * Returns absent vulnerabilities in state `detected` whose rule the scan no longer has, among rules of the same types.
 */
export async function listDroppedByRule(
  db: Db,
  projectId: number,
  { ref, categoryId }: { ref: string; categoryId: number | undefined },
  rules: ScanRules,
): Promise<number[]> {
  const types = [...new Set(rules.identifiers.map(({ externalType }) => externalType))]
  const fingerprints = rules.identifiers.map(({ fingerprint }) => fingerprint)
  const ofCategory =
    categoryId === undefined
      ? empty
      : sql`and exists (
          select 1 from occurrences o join occurrence_categories c on c.occurrence_id = o.id
          where o.finding_id = f.id and o.ref = ${ref} and c.category_id = ${categoryId})`
  const rows = await db.all<{ id: number }>(sql`
    select v.id from vulnerabilities v
    join findings f on f.vulnerability_id = v.id join identifiers i on i.id = f.primary_identifier_id
    where v.project_id = ${projectId} and v.report_type in ${db.dialect.texts(rules.reportTypes)}
      and v.is_resolved_on_default_branch = true and v.state = 'detected'
      and i.external_type in ${db.dialect.texts(types)} and i.fingerprint not in ${db.dialect.texts(fingerprints)}
      ${ofCategory}
    order by v.id`)
  return rows.map(({ id }) => id)
}

/** Returns findings on the default branch whose vulnerability is resolved; a new observation reopens it. */
export async function listResolvedAmongPresent(db: Db, projectId: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select f.id from vulnerabilities v join findings f on f.vulnerability_id = v.id
    where v.project_id = ${projectId} and v.is_on_default_branch = true and v.state = 'resolved' order by f.id`)
  return rows.map(({ id }) => id)
}
