import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { newestScan } from '../finding-sql.ts'
import type { Category, CategoryIds } from './categories.ts'
import { loadCategories } from './category-queries.ts'
import type { Observation, Scan } from './occurrence.ts'

/** Inserts the scans of an import. Must run after absent findings are marked, which reads the earlier scans. */
export async function insertScans(
  db: Db,
  { ref, importId, categoryId, now }: Observation,
  scans: readonly Scan[],
): Promise<void> {
  const rows = scans.map(({ scannerId, reportType, isComplete }) => ({
    scannerId,
    reportType,
    isComplete,
  }))
  await db.run(sql`
    insert into scans (import_id, scanner_id, report_type, ref, category_id, is_complete, observed_at)
    select ${importId}, r.scanner_id, r.report_type, ${ref}, ${categoryId}, r.is_complete, ${now}
    from ${db.dialect.records(rows, { scannerId: 'integer', reportType: 'text', isComplete: 'boolean' })} as r`)
}

/** Returns the scans of these imports on a ref, with the artifacts of the imports. */
export async function listScansOfImports(
  db: Db,
  { projectId, ref }: { projectId: number; ref: string },
  importIds: readonly number[],
): Promise<ImportScan[]> {
  return db.all(sql`
    select s.import_id, s.scanner_id, s.report_type, s.category_id, m.artifact, n.name as scanner_name
    from scans s join imports m on m.id = s.import_id join scanners n on n.id = s.scanner_id
    where s.import_id ${db.dialect.among(db.dialect.integers(importIds))}
      and m.project_id = ${projectId} and s.ref = ${ref}
    order by s.import_id, s.scanner_id, s.report_type`)
}

/** A scan of an earlier import. */
interface ImportScan {
  importId: number
  scannerId: number
  scannerName: string
  reportType: string
  categoryId: number | null
  artifact: string | null
}

/**
 * Returns the findings of a scanner and type after an id, with their state on the ref. The order is by id, because
 * severities may change between two calls.
 */
export async function listOfScanner(
  db: Db,
  { scannerId, reportType }: { scannerId: number; reportType: string },
  { ref, category }: { ref: string; category: Category | undefined },
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number; isPresent: boolean; categories: CategoryIds }[]> {
  const rows = await db.all<{ id: number; isPresent: boolean | null }>(sql`
    select f.id, o.is_present
    from findings f left join occurrences o on o.finding_id = f.id and o.ref = ${ref} and o.finding_id > ${after}
    where f.scanner_id = ${scannerId} and f.report_type = ${reportType} and f.id > ${after}
    order by f.id limit ${limit}`)
  const categoriesOf = await loadCategories(
    db,
    category,
    [ref],
    rows.map(({ id }) => id),
  )
  return rows.map(({ id, isPresent }) => ({ id, isPresent: isPresent ?? false, categories: categoriesOf(id) }))
}

/**
 * Returns the places of findings, the fingerprints of their primary identifiers, and the imports that observed them
 * last on the ref, with the artifacts of those imports.
 */
export async function listLastObservations(
  db: Db,
  ref: string,
  findingIds: readonly number[],
): Promise<
  { id: number; place: string | null; identifier: string; lastImportId: number | null; artifact: string | null }[]
> {
  return db.all(sql`
    select seen.id, seen.location_path as place, seen.identifier, seen.last_import_id, m.artifact from (
      select f.id, f.location_path, i.fingerprint as identifier,
        coalesce(${newestScan('import_id')}, o.last_import_id) as last_import_id
      from findings f join identifiers i on i.id = f.primary_identifier_id
        left join occurrences o on o.finding_id = f.id and o.ref = ${ref} and o.is_present = true
      where f.id ${db.dialect.among(db.dialect.integers(findingIds))}
    ) as seen left join imports m on m.id = seen.last_import_id
    order by seen.id`)
}

/** Returns the id of the newest import that recorded an observation of one of these findings on the ref. */
export async function findNewestObservation(db: Db, ref: string, findingIds: readonly number[]): Promise<number> {
  const row = await db.one<{ newest: number | null }>(sql`
    select max(o.last_import_id) as newest from occurrences o
    where o.ref = ${ref} and o.finding_id ${db.dialect.among(db.dialect.integers(findingIds))}`)
  return row?.newest ?? 0
}

/**
 * Returns those of the findings, all absent from the ref, that a report of this category may mark as absent. The
 * category must have contained the finding, on this ref or, if it was never observed here, on the ref that observed it
 * last; and every other category that contained it must have had a complete scan on this ref.
 */
export async function listMissedBy(
  db: Db,
  { scannerId, reportType }: { scannerId: number; reportType: string },
  { ref, categoryId }: { ref: string; categoryId: number },
  findingIds: readonly number[],
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select o.finding_id as id from (
      select f.id as finding_id, coalesce(
        (select h.id from occurrences h where h.finding_id = f.id and h.ref = ${ref}),
        (select e.id from occurrences e where e.finding_id = f.id order by e.last_seen_at desc, e.id desc limit 1)) as id
      from findings f where f.id ${db.dialect.among(db.dialect.integers(findingIds))}
    ) as o join occurrence_categories own on own.occurrence_id = o.id and own.category_id = ${categoryId}
    where not exists (
      select 1 from occurrence_categories c where c.occurrence_id = o.id and c.category_id <> ${categoryId} and (
        select s.import_id from scans s
        where s.scanner_id = ${scannerId} and s.report_type = ${reportType} and s.ref = ${ref}
          and coalesce(s.category_id, 0) = +c.category_id and s.is_complete = true
        order by s.import_id desc limit 1) is null)
    order by o.finding_id`)
  return rows.map(({ id }) => id)
}
