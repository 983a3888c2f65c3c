import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { FindingExtras, ListedFinding, StoredIdentifier, StoredScanner } from '../finding.ts'
import {
  hasTriage,
  type ListedFindingRow,
  listedFindingColumns,
  listedFindingFrom,
  listedVersion,
} from '../finding-sql.ts'
import { type Severity, type State, severityRanks } from '../scales.ts'
import type { Cursor } from './cursor.ts'
import type { FindingScope } from './finding-filter.ts'
import type { RangeRequest } from './index-range.ts'

/** A range of the occurrences index: present findings of one severity and some states, in id order. */
interface SeverityRange {
  severity: Severity
  states: readonly State[]
}

/** Returns findings of adjacent ranges, highest severity first. `after` is a position in the first of them. */
export async function listPresent(
  { dialect, all }: Db,
  scope: FindingScope,
  { severities, states }: { severities: readonly Severity[]; states: readonly State[] },
  { after, offset, limit }: RangeRequest,
): Promise<Cursor[]> {
  const firstRows = sql`order by id limit ${offset + limit}`
  const parts = severities.flatMap((severity, index) =>
    states.map(
      (state) => sql`
        select severity, finding_id as id from occurrences
        where ${isPresent(scope, severity, state)} and finding_id > ${index === 0 ? (after?.id ?? 0) : 0}`,
    ),
  )
  const merged = parts.length > 1 ? parts.map((part) => dialect.partOfUnion(part, firstRows)) : parts
  const order = severities.length > 1 ? sql`severity desc, id` : sql`id`
  return all(sql`${join(merged, ' union all ')} order by ${order} limit ${limit} offset ${offset}`)
}

/** Counts the findings of a range, at most `max`. */
export async function countPresent(
  db: Db,
  scope: FindingScope,
  { severity, states }: SeverityRange,
  max: number,
): Promise<number> {
  let count = 0
  for (const state of states) {
    const row = await db.one<{ total: number }>(sql`
      select count(*) as total from (
        select 1 from occurrences where ${isPresent(scope, severity, state)} limit ${max - count}) as counted`)
    count += row?.total ?? 0
    if (count >= max) break
  }
  return count
}

const isPresent = ({ projectId, ref }: FindingScope, severity: Severity, state: State): Sql => sql`
  project_id = ${projectId} and ref = ${ref} and is_present = true and state = ${state}
  and severity = ${severityRanks[severity]}`

/** Returns findings as they are listed, in the order of the ids. */
export async function listFindingsById(
  db: Db,
  { ref }: FindingScope,
  ids: readonly number[],
): Promise<ListedFinding[]> {
  const rows = await db.all<ListedFindingRow>(sql`
    select ${listedFindingColumns(db)}, o.last_import_id
    from findings f join occurrences o on o.finding_id = f.id and o.ref = ${ref}
      join scanners s on s.id = f.scanner_id
      left join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(ids)}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [listedFindingFrom(row)] : []
  })
}

/** Returns the versions of listed findings, and whether their vulnerabilities have history or links. */
export async function listListedVersions(
  db: Db,
  { ref }: FindingScope,
  ids: readonly number[],
): Promise<{ id: number; version: string; hasTriage: boolean }[]> {
  const rows = await db.all<{ id: number; version: string; hasTriage: boolean | number }>(sql`
    select f.id, ${listedVersion} as version, ${hasTriage} as has_triage
    from findings f join occurrences o on o.finding_id = f.id and o.ref = ${ref}
      left join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(ids)}`)
  // A computed boolean is a number on SQLite.
  return rows.map(({ hasTriage, ...row }) => ({ ...row, hasTriage: Boolean(hasTriage) }))
}

/** Returns a finding, even if it is absent or only on other refs, but not one of an unfinished import. */
export async function findShownFinding(
  db: Db,
  projectId: number,
  ref: string,
  id: number,
): Promise<ListedFinding | undefined> {
  const row = await db.one<ListedFindingRow>(sql`
    select ${listedFindingColumns(db)}, o.last_import_id
    from findings f left join occurrences o on o.finding_id = f.id and o.ref = ${ref}
      join scanners s on s.id = f.scanner_id
      left join vulnerabilities v on v.id = f.vulnerability_id
    where f.id = ${id} and f.project_id = ${projectId}
      and exists (select 1 from occurrences any_ref where any_ref.finding_id = f.id)`)
  return row && listedFindingFrom(row)
}

export async function listScanners(db: Db, ids: readonly number[]): Promise<StoredScanner[]> {
  return db.all(sql`
    select id, external_id, name, vendor from scanners where id in ${db.dialect.integers(ids)} order by id`)
}

export async function listExtras(
  db: Db,
  findingIds: readonly number[],
): Promise<{ id: number; extras: FindingExtras }[]> {
  return db.all(sql`select id, extras from findings where id in ${db.dialect.integers(findingIds)} order by id`)
}

/** Returns those of the scanners that have reported to one of these projects. */
export async function listScannersOf(
  db: Db,
  projectIds: readonly number[],
  ids: readonly number[],
): Promise<StoredScanner[]> {
  return db.all(sql`
    select id, external_id, name, vendor from scanners
    where id in ${db.dialect.integers(ids)} and project_id in ${db.dialect.integers(projectIds)} order by id`)
}

/** Returns identifiers in the order of the report; the first one of each finding is its primary identifier. */
export async function listIdentifiers(
  db: Db,
  findingIds: readonly number[],
): Promise<(StoredIdentifier & { findingId: number })[]> {
  return db.all(sql`
    select fi.finding_id, i.id, i.external_type, i.external_id, i.name, i.url
    from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id in ${db.dialect.integers(findingIds)} order by fi.finding_id, fi.position`)
}
