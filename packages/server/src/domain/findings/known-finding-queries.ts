import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingSummary } from './finding.ts'
import { idsOfKeys } from './finding-sql.ts'
import type { KnownFinding, KnownScope } from './known-finding.ts'
import type { CategoryIds } from './occurrences/categories.ts'
import { loadCategories } from './occurrences/category-queries.ts'
import { severityOf } from './scales.ts'

interface KnownFindingRow {
  id: number
  uuid: string
  digest: string
  vulnerabilityId: number | null
  /** Computed column, so SQLite returns a number. */
  isPresent: boolean | number | null
  /** 0 if the finding was observed on the default branch, 1 if only elsewhere, null if never. */
  seenOnlyElsewhere: number | null
}

/** Returns the stored findings of these uuids, including findings that were matched under one of them. */
export async function findKnownFindings(
  db: Db,
  { projectId, ref, defaultBranch, category }: KnownScope,
  uuids: readonly string[],
): Promise<KnownFinding[]> {
  const columns = sql`f.id, f.digest, f.vulnerability_id,
    (select o.is_present from occurrences o where o.finding_id = f.id and o.ref = ${ref}) as is_present,
    (select min(case when s.ref = ${defaultBranch} then 0 else 1 end) from occurrences s where s.finding_id = f.id)
      as seen_only_elsewhere`
  const rows = await db.all<KnownFindingRow>(sql`
    select f.uuid, ${columns} from findings f where f.id ${idsOfKeys(db, 'findings', projectId, uuids)} order by f.id`)
  const known = new Set(rows.map(({ uuid }) => uuid))
  const others = uuids.filter((uuid) => !known.has(uuid))
  const recognised =
    others.length === 0
      ? []
      : await db.all<KnownFindingRow>(sql`
          select m.uuid, ${columns}
          from finding_matches m join findings f on f.id = m.finding_id
          where m.id ${idsOfKeys(db, 'finding_matches', projectId, others)} order by m.id`)
  const ids = [...rows, ...recognised].map(({ id }) => id)
  const categoriesOf = await loadCategories(db, category, [ref], ids)
  return [
    ...rows.map((row) => knownFrom(row, true, categoriesOf(row.id))),
    ...recognised.map((row) => knownFrom(row, false, categoriesOf(row.id))),
  ]
}

const knownFrom = (row: KnownFindingRow, isOwnUuid: boolean, categories: CategoryIds): KnownFinding => ({
  id: row.id,
  uuid: row.uuid,
  isOwnUuid,
  digest: row.digest,
  vulnerabilityId: row.vulnerabilityId,
  wasPresent: row.isPresent === null ? undefined : Boolean(row.isPresent),
  categories,
  wasSeen: row.seenOnlyElsewhere !== null,
  wasOnDefaultBranch: row.seenOnlyElsewhere === 0,
})

/** Returns true if the scanner has at least one visible finding. */
export async function hasFindings(db: Db, scannerId: number): Promise<boolean> {
  const row = await db.one(sql`
    select f.id from findings f where f.scanner_id = ${scannerId}
      and exists (select 1 from occurrences o where o.finding_id = f.id) limit 1`)
  return row !== undefined
}

/** Returns true if the project has at least one finding, visible or not. */
export async function hasAnyFinding(db: Db, projectId: number): Promise<boolean> {
  return (await db.one(sql`select id from findings where project_id = ${projectId} limit 1`)) !== undefined
}

/** Returns up to `limit` visible findings of a project whose uuids are in a range. */
export async function listDigests(
  db: Db,
  projectId: number,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<{ uuid: string; digest: string }[]> {
  return db.all(sql`
    select f.uuid, f.digest from findings f
    where f.project_id = ${projectId} and f.uuid >= ${from} and f.uuid < ${before}
      and exists (select 1 from occurrences o where o.finding_id = f.id)
    order by f.uuid limit ${limit}`)
}

/** Returns summaries of findings, the most severe first. */
export async function listSummaries(db: Db, findingIds: readonly number[]): Promise<FindingSummary[]> {
  const rows = await db.all<{
    uuid: string
    name: string
    severity: number
    reportType: string
    location: object
  }>(sql`
    select uuid, name, severity, report_type, location from findings
    where id in ${db.dialect.integers(findingIds)} order by severity desc, id`)
  return rows.map(({ reportType, severity, ...row }) => ({
    ...row,
    severity: severityOf(severity),
    reportType,
  }))
}
