import sql, { empty, join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Start } from '../milestones.ts'
import type { Finding, StoredIdentifier, StoredScanner, Vulnerability } from './finding.ts'
import type { Position } from './list-queries.ts'
import {
  type FindingRow,
  findingColumns,
  findingFrom,
  type ListedFindingRow,
  listedFindingColumns,
  listedFindingFrom,
  type PresentFinding,
  type VulnerabilityRow,
  vulnerabilityColumns,
  vulnerabilityFrom,
} from './rows.ts'
import { confidenceRanks, type Severity, severityRanks } from './scales.ts'

/** By its id or its uuid; held until the transaction ends. */
export async function lockFinding(db: Db, projectId: number, reference: number | string): Promise<Finding | undefined> {
  const which = typeof reference === 'number' ? sql`f.id = ${reference}` : sql`f.uuid = ${reference.toLowerCase()}`
  const row = await db.one<FindingRow>(sql`
    select ${findingColumns} from findings f where f.project_id = ${projectId} and ${which}
      and exists (select 1 from occurrences o where o.finding_id = f.id) ${db.dialect.forUpdate}`)
  return row && findingFrom(row)
}

export interface VulnerabilityDraft {
  projectId: number
  authorId: number
  title: string
  severity: Severity
  confidence: Finding['confidence']
  reportType: string
  scannerId: number
  now: string
}

export async function insertVulnerability(db: Db, draft: VulnerabilityDraft): Promise<Vulnerability> {
  const row = await db.one<VulnerabilityRow>(sql`
    insert into vulnerabilities (project_id, author_id, title, state, severity, confidence, report_type,
      scanner_id, created_at, updated_at)
    values (${draft.projectId}, ${draft.authorId}, ${draft.title}, 'detected', ${severityRanks[draft.severity]},
      ${confidenceRanks[draft.confidence]}, ${draft.reportType}, ${draft.scannerId}, ${draft.now}, ${draft.now})
    returning ${vulnerabilityColumns}`)
  if (!row) throw new Error('an inserted vulnerability returned no row')
  return vulnerabilityFrom(row)
}

/** False when another request attached the finding first. */
export async function attachFinding(db: Db, findingId: number, vulnerabilityId: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update findings set vulnerability_id = ${vulnerabilityId}, updated_at = ${now}
    where id = ${findingId} and vulnerability_id is null`)
  return changed === 1
}

export interface FindingFilter {
  projectId: number
  ref: string
  reportTypes: readonly string[] | undefined
  severities: readonly Severity[] | undefined
  withDismissed: boolean
  /** Only what this import saw. */
  importId: number | undefined
}

/** What is there on the ref, worst first and one more than the page holds; with the state of its vulnerability. */
export async function listPresentFindings(
  db: Db,
  filter: FindingFilter,
  { after, skip }: Start<Position>,
  perPage: number,
): Promise<PresentFinding[]> {
  const stretches = presentFindings(db, filter, after, skip + perPage + 1)
  const rows = await db.all<ListedFindingRow>(sql`
    select ${listedFindingColumns}
    from (
      select severity, id from ${joined(stretches)} order by severity desc, id limit ${perPage + 1} offset ${skip}
    ) as page join findings f on f.id = page.id left join vulnerabilities v on v.id = f.vulnerability_id
    order by page.severity desc, page.id`)
  return rows.map(listedFindingFrom)
}

/** Where the finding is that comes so many after the position. */
export async function findFindingPosition(
  db: Db,
  filter: FindingFilter,
  after: Position | undefined,
  rows: number,
): Promise<Position | undefined> {
  return findPosition(db, presentFindings(db, filter, after, rows), rows)
}

function presentFindings(db: Db, filter: FindingFilter, after: Position | undefined, limit: number): Sql[] {
  return stretchesAfter(after, (id) => sql`o.finding_id > ${id}`, sql`o.severity`).map(
    (isThere) => sql`
      select o.severity, o.finding_id as id from occurrences o
      where o.project_id = ${filter.projectId} and o.ref = ${filter.ref} and o.is_present = true
        and ${isThere} ${conditions(db, filter)}
      order by o.severity desc, o.finding_id limit ${limit}`,
  )
}

/** Other tables are asked about each row, not joined: nobody's planner must read them whole to show a page. */
function conditions(db: Db, { reportTypes, severities, withDismissed, importId }: FindingFilter): Sql {
  const ranks = severities?.map((word) => severityRanks[word])
  const reportType = sql`(select f.report_type from findings f where f.id = o.finding_id)`
  const state = sql`(
    select v.state from findings f join vulnerabilities v on v.id = f.vulnerability_id where f.id = o.finding_id)`
  return sql`
    ${ranks ? sql`and o.severity in ${db.dialect.integers(ranks)}` : empty}
    ${reportTypes ? sql`and ${reportType} in ${db.dialect.texts(reportTypes)}` : empty}
    ${withDismissed ? empty : sql`and coalesce(${state}, '') <> 'dismissed'`}
    ${importId === undefined ? empty : seenBy(importId)}`
}

/** It looked for what the finding is, after it was first seen. What is present was seen by every later complete scan. */
function seenBy(importId: number): Sql {
  return sql`and o.first_import_id <= ${importId} and exists (
    select 1 from findings f join scans s on s.scanner_id = f.scanner_id and s.report_type = f.report_type
    where f.id = o.finding_id and s.import_id = ${importId} and s.ref = o.ref
      and (s.is_complete = true or o.first_import_id = ${importId} or o.last_import_id = ${importId}))`
}

/** The stretches of an index that follow a position: the rest of its severity, and all that is less severe. */
function stretchesAfter(after: Position | undefined, isBehind: (id: number) => Sql, severity: Sql): Sql[] {
  if (!after) return [sql`true`]
  return [sql`${severity} = ${after.severity} and ${isBehind(after.id)}`, sql`${severity} < ${after.severity}`]
}

function joined(stretches: readonly Sql[]): Sql {
  const selected = stretches.map((stretch) => sql`select * from (${stretch}) as stretch`)
  return sql`(${join(selected, ' union all ')}) as stretches`
}

/** Seldom has to look at more than the first stretch. */
async function findPosition(db: Db, stretches: readonly Sql[], rows: number): Promise<Position | undefined> {
  let left = rows
  for (const stretch of stretches) {
    const found = await db.all<Position>(stretch)
    if (found.length >= left) return found[left - 1]
    left -= found.length
  }
  return undefined
}

export async function listScanners(db: Db, ids: readonly number[]): Promise<StoredScanner[]> {
  const rows = await db.all<{ id: number; external_id: string; name: string; vendor: string }>(sql`
    select id, external_id, name, vendor from scanners where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map((row) => ({ id: row.id, externalId: row.external_id, name: row.name, vendor: row.vendor }))
}

/** In the order of the report; the first one of each finding is its primary identifier. */
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
