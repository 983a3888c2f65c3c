import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { PresentFinding, StoredIdentifier, StoredScanner } from '../findings/finding.ts'
import { type ListedFindingRow, listedFindingColumns, listedFindingFrom } from '../findings/finding-sql.ts'
import { reportTypes, type Severity, type State, severityRanks } from '../findings/scales.ts'
import type { Position } from './list/list-queries.ts'
import { type Probe, passAll } from './list/probe-queries.ts'

export interface FindingScope {
  projectId: number
  ref: string
}

/** A range of the occurrences index: present findings of one severity and some states, in id order. */
export interface IndexRange {
  severity: Severity
  states: readonly State[]
}

/** Returns the first findings of a range after an id. */
export async function listPresent(
  { dialect, all }: Db,
  { projectId, ref }: FindingScope,
  { severity, states: wanted }: IndexRange,
  after: number,
  limit: number,
): Promise<Position[]> {
  const orderAndLimit = sql`order by id limit ${limit}`
  const parts = wanted.map(
    (state) => sql`
      select severity, finding_id as id from occurrences
      where project_id = ${projectId} and ref = ${ref} and is_present = true and state = ${state}
        and severity = ${severityRanks[severity]} and finding_id > ${after}`,
  )
  const merged = parts.length > 1 ? parts.map((part) => dialect.partOfUnion(part, orderAndLimit)) : parts
  return all(sql`${join(merged, ' union all ')} ${orderAndLimit}`)
}

/** Selects the positions of those candidates that are present on the ref and match the filter and all conditions. */
export function selectPresent(
  { dialect }: Db,
  { projectId, ref }: FindingScope,
  candidates: Sql,
  wanted: { severities: readonly Severity[]; states: readonly State[] },
  probes: readonly Probe[],
): Sql {
  // `+` disables the index of the ref: with outdated statistics PostgreSQL would expect few rows and scan it for each
  // candidate.
  return sql`
    select o.severity, o.finding_id as id from occurrences o
      cross join findings f ${dialect.indexedBy('findings_filter_columns')}
    where o.finding_id ${dialect.among(candidates)} and o.ref = ${ref} and +o.project_id = ${projectId}
      and o.is_present = true and o.state in ${dialect.texts(wanted.states)}
      and o.severity in ${dialect.integers(wanted.severities.map((severity) => severityRanks[severity]))}
      and f.id = o.finding_id ${passAll(probes)}`
}

/** Filters by scanner, report type or both; `undefined` matches any. */
export function originProbe(
  { dialect }: Db,
  { projectId }: FindingScope,
  scanners: readonly string[] | undefined,
  types: readonly string[] | undefined,
): Probe {
  const isAmong = scanners ? sql`and s.external_id in ${dialect.texts(scanners)}` : empty
  const scannerIds = sql`select s.id from scanners s where s.project_id = ${projectId} ${isAmong}`
  return {
    sources: (types ?? reportTypes).map((type) => ({
      keys: scannerIds,
      having: [(isKey) => sql`select f.id from findings f where f.scanner_id ${isKey} and f.report_type = ${type}`],
    })),
    passes: sql`${types ? sql`f.report_type in ${dialect.texts(types)}` : sql`1 = 1`} ${
      scanners ? sql`and f.scanner_id in (${scannerIds})` : empty
    }`,
  }
}

/** Filters by whether the finding has a vulnerability. */
export function promotionProbe({ projectId }: FindingScope, isPromoted: boolean): Probe {
  if (isPromoted) return { passes: sql`f.vulnerability_id is not null` }
  const having = (isKey: Sql) =>
    sql`select f.id from findings f where f.project_id ${isKey} and f.vulnerability_id is null`
  return { sources: [{ keys: [projectId], having: [having] }], passes: sql`f.vulnerability_id is null` }
}

/**
 * Filters the findings that an import covers. The import must have scanned the finding's type after its first
 * observation, for the whole ref or for a category that contains the finding. Every later complete scan has observed
 * present findings.
 */
export function importProbe({ ref }: FindingScope, importId: number): Probe {
  return {
    passes: sql`exists (
      select 1 from occurrences o
        join scans s on s.scanner_id = f.scanner_id and s.report_type = f.report_type and s.ref = o.ref
      where o.finding_id = f.id and o.ref = ${ref} and o.first_import_id <= ${importId} and s.import_id = ${importId}
        and (o.first_import_id = ${importId} or o.last_import_id = ${importId} or (s.is_complete = true
          and (s.category_id is null or o.categories like '%,' || s.category_id || ',%'))))`,
  }
}

/** Returns findings with the state of their vulnerabilities, in the order of the ids. */
export async function listFindingsById(
  db: Db,
  { ref }: FindingScope,
  ids: readonly number[],
): Promise<PresentFinding[]> {
  const rows = await db.all<ListedFindingRow>(sql`
    select ${listedFindingColumns}, o.last_import_id
    from findings f join occurrences o on o.finding_id = f.id and o.ref = ${ref}
      left join vulnerabilities v on v.id = f.vulnerability_id
    where f.id in ${db.dialect.integers(ids)}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [listedFindingFrom(row)] : []
  })
}

/** Returns a finding, even if it is absent or only on other refs, but not one of an unfinished import. */
export async function findShownFinding(
  db: Db,
  projectId: number,
  ref: string,
  id: number,
): Promise<PresentFinding | undefined> {
  const row = await db.one<ListedFindingRow>(sql`
    select ${listedFindingColumns}, o.last_import_id
    from findings f left join occurrences o on o.finding_id = f.id and o.ref = ${ref}
      left join vulnerabilities v on v.id = f.vulnerability_id
    where f.id = ${id} and f.project_id = ${projectId}
      and exists (select 1 from occurrences any_ref where any_ref.finding_id = f.id)`)
  return row && listedFindingFrom(row)
}

export async function listScanners(db: Db, ids: readonly number[]): Promise<StoredScanner[]> {
  const rows = await db.all<{ id: number; external_id: string; name: string; vendor: string }>(sql`
    select id, external_id, name, vendor from scanners where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map((row) => ({ id: row.id, externalId: row.external_id, name: row.name, vendor: row.vendor }))
}

/** Returns identifiers in the order of the report; the first one of each finding is its primary identifier. */
export async function listIdentifiers(
  db: Db,
  findingIds: readonly number[],
): Promise<(StoredIdentifier & { findingId: number })[]> {
  const rows = await db.all<{
    finding_id: number
    id: number
    external_type: string
    external_id: string
    name: string
    url: string | null
  }>(sql`
    select fi.finding_id, i.id, i.external_type, i.external_id, i.name, i.url
    from finding_identifiers fi join identifiers i on i.id = fi.identifier_id
    where fi.finding_id in ${db.dialect.integers(findingIds)} order by fi.finding_id, fi.position`)
  return rows.map((row) => ({
    findingId: row.finding_id,
    id: row.id,
    externalType: row.external_type,
    externalId: row.external_id,
    name: row.name,
    url: row.url,
  }))
}
