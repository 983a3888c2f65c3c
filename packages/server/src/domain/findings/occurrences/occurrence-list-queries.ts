import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { groupBy } from '../../group-by.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import { newestScan } from '../finding-sql.ts'
import type { Occurrence, PastImport } from './occurrence.ts'

interface OccurrenceRow {
  id: number
  ref: string
  isPresent: boolean
  firstSeenAt: string
  lastSeenAt: string
  firstImportId: number | null
  lastImportId: number | null
}

/**
 * Returns one row more than the page holds. For a present finding the last observation is the last complete scan of the
 * same kind.
 */
export async function listOccurrences(
  db: Db,
  vulnerabilityId: number,
  { perPage, offset }: PageRequest,
): Promise<Occurrence[]> {
  const last = (column: 'observed_at' | 'import_id', incomplete: Sql) =>
    sql`coalesce(case when o.is_present = true then ${newestScan(column)} end, ${incomplete})`
  const rows = await db.all<OccurrenceRow>(sql`
    select o.id, o.ref, o.is_present, o.first_seen_at, o.first_import_id,
      ${last('observed_at', sql`o.last_seen_at`)} as last_seen_at,
      ${last('import_id', sql`o.last_import_id`)} as last_import_id
    from findings f join occurrences o on o.finding_id = f.id
    where f.vulnerability_id = ${vulnerabilityId} order by o.id limit ${perPage + 1} offset ${offset}`)
  const imports = await findImports(
    db,
    rows.flatMap((row) => [row.firstImportId ?? [], row.lastImportId ?? []].flat()),
  )
  const categories = await listCategoryNames(
    db,
    rows.map(({ id }) => id),
  )
  const importOf = (id: number | null) => (id === null ? null : (imports.get(id) ?? null))
  return rows.map((row) => ({
    ref: row.ref,
    isPresent: row.isPresent,
    categories: (categories.get(row.id) ?? []).map(({ name }) => name).sort(),
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
    firstImport: importOf(row.firstImportId),
    lastImport: importOf(row.lastImportId),
  }))
}

export async function countOccurrences(db: Db, vulnerabilityId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from findings f join occurrences o on o.finding_id = f.id
      where f.vulnerability_id = ${vulnerabilityId} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

async function listCategoryNames(
  db: Db,
  occurrenceIds: readonly number[],
): Promise<Map<number, { occurrenceId: number; name: string }[]>> {
  const rows = await db.all<{ occurrenceId: number; name: string }>(sql`
    select c.occurrence_id, r.name from occurrence_categories c join report_categories r on r.id = c.category_id
    where c.occurrence_id in ${db.dialect.integers(occurrenceIds)} order by c.occurrence_id, c.category_id`)
  return groupBy(rows, (row) => row.occurrenceId)
}

async function findImports(db: Db, ids: readonly number[]): Promise<Map<number, PastImport>> {
  const rows = await db.all<{
    id: number
    ref: string
    category: string | null
    commitSha: string | null
    format: string
    scannerName: string | null
    createdAt: string
  }>(sql`
    select id, ref, category, commit_sha, format, scanner_name, created_at from imports
    where id in ${db.dialect.integers(ids)} order by id`)
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        ref: row.ref,
        category: row.category,
        commitSha: row.commitSha,
        format: row.format,
        scanner: row.scannerName,
        createdAt: row.createdAt,
      },
    ]),
  )
}
