import { setImmediate } from 'node:timers/promises'
import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Finding } from '../../findings/finding.ts'
import { type FindingRow, findingColumns, findingFrom } from '../../findings/finding-sql.ts'
import { type Cursor, compareIn, type ListOrder } from '../../findings/list/cursor.ts'
import type { RangeRequest } from '../../findings/list/index-range.ts'
import { type Severity, severityRanks } from '../../findings/scales.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type VulnerabilityRow, vulnerabilityColumns, vulnerabilityFrom } from '../vulnerability-sql.ts'
import type { Facets } from './count-change-queries.ts'

/** Vulnerabilities of one severity in a project, or of one facet combination, which an index has in id order. */
export interface FacetRange {
  projectId: number
  isOnDefaultBranch: boolean
  severity: Severity
  /** Absent: all vulnerabilities of the severity. */
  facets?: Facets | undefined
}

/** Maximum number of ranges in one statement, which limits its length. */
const maxRangesPerStatement = 100

/** Reads rows of all ranges together in the order of their ids. */
export async function listFromRanges(
  db: Db,
  ranges: readonly FacetRange[],
  direction: ListOrder['id'],
  { afterId, offset, limit }: RangeRequest,
): Promise<Cursor[]> {
  if (ranges.length <= maxRangesPerStatement) {
    return mergeRanges(db, ranges, direction, { afterId, offset, limit })
  }
  const compare = compareIn({ id: direction })
  let rows: Cursor[] = []
  let beforeId: number | undefined
  for (let start = 0; start < ranges.length; start += maxRangesPerStatement) {
    const some = ranges.slice(start, start + maxRangesPerStatement)
    const found = await mergeRanges(db, some, direction, { afterId, beforeId, offset: 0, limit: offset + limit })
    rows = [...rows, ...found].sort(compare).slice(0, offset + limit)
    // Rows after the last one of these cannot be on the page.
    if (rows.length === offset + limit) beforeId = rows.at(-1)?.id
    await setImmediate()
  }
  return rows.slice(offset)
}

interface BoundedRequest extends RangeRequest {
  /** Only rows that precede this id in the direction of the order. */
  beforeId?: number | undefined
}

/** The database merges the ranges as it reads them. */
async function mergeRanges(
  db: Db,
  ranges: readonly FacetRange[],
  direction: ListOrder['id'],
  { afterId, beforeId, offset, limit }: BoundedRequest,
): Promise<Cursor[]> {
  const order = direction === 'asc' ? sql`asc` : sql`desc`
  const [low, high] = direction === 'asc' ? [afterId, beforeId] : [beforeId, afterId]
  const isBetween = sql`id > ${low ?? 0} and id < ${high ?? Number.MAX_SAFE_INTEGER}`
  const selects = ranges.map(
    (range) => sql`select severity, id from vulnerabilities where ${isIn(range)} and ${isBetween}`,
  )
  const firstRows = sql`order by id ${order} limit ${offset + limit}`
  const parts = selects.length > 1 ? selects.map((part) => db.dialect.partOfUnion(part, firstRows)) : selects
  return db.all(sql`${join(parts, ' union all ')} order by id ${order} limit ${limit} offset ${offset}`)
}

function isIn({ projectId, isOnDefaultBranch, severity, facets }: FacetRange): Sql {
  const common = sql`project_id = ${projectId} and is_on_default_branch = ${isOnDefaultBranch}
    and severity = ${severityRanks[severity]}`
  if (!facets) return common
  return sql`${common} and state = ${facets.state} and report_type = ${facets.reportType}
    and scanner_id = ${facets.scannerId} and is_resolved_on_default_branch = ${facets.isResolvedOnDefaultBranch}
    and coalesce(dismissal_reason, '') = ${facets.dismissalReason ?? ''}`
}

export async function listVulnerabilitiesById(db: Db, ids: readonly number[]): Promise<Vulnerability[]> {
  const rows = await db.all<VulnerabilityRow>(sql`
    select ${vulnerabilityColumns} from vulnerabilities where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map(vulnerabilityFrom)
}

/** Returns the versions of vulnerabilities and of their findings. */
export async function listRowVersions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; vulnerability: number; finding: number }[]> {
  return db.all(sql`
    select v.id, v.version as vulnerability, f.version as finding
    from vulnerabilities v join findings f on f.vulnerability_id = v.id where v.id in ${db.dialect.integers(ids)}`)
}

export async function listFindingsOf(db: Db, vulnerabilityIds: readonly number[]): Promise<Finding[]> {
  const rows = await db.all<FindingRow>(sql`
    select ${findingColumns} from findings f
    where f.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by f.id`)
  return rows.map(findingFrom)
}
