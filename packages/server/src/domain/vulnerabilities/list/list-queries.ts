import { setImmediate } from 'node:timers/promises'
import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { fixedStatement } from '../../../db/fixed-statement.ts'
import { type Cursor, compareIn, type ListOrder } from '../../findings/list/cursor.ts'
import type { RangeRequest } from '../../findings/list/index-range.ts'
import { type Severity, severityRanks } from '../../findings/scales.ts'
import type { Assignee, VulnerabilityWithFinding } from '../vulnerability.ts'
import {
  assigneeColumns,
  joinAssignee,
  type VulnerabilityWithFindingRow,
  withFindingColumns,
  withFindingFrom,
} from '../vulnerability-sql.ts'
import type { Facets } from './counts/count-change-queries.ts'

/** Vulnerabilities of one severity in a project, or of one facet combination, which an index has in id order. */
export interface FacetRange {
  projectId: number
  isOnDefaultBranch: boolean
  severity: Severity
  /** Absent: all vulnerabilities of the severity. */
  facets?: Facets | undefined
  /** Only the rows of this assignee, or without one (null), which another index has in id order. */
  assigneeId?: number | null | undefined
}

/** Maximum number of ranges in one statement, which limits its length. */
const maxRangesPerStatement = 100

/** Reads rows of groups of ranges in the order of the list. Each group is one severity, or all. */
export async function listFromRanges(
  db: Db,
  groups: readonly (readonly FacetRange[])[],
  order: ListOrder,
  { after, offset, limit }: RangeRequest,
): Promise<Cursor[]> {
  const rangeCount = groups.reduce((sum, ranges) => sum + ranges.length, 0)
  if (rangeCount <= maxRangesPerStatement) return mergeRanges(db, groups, order, { after, offset, limit })
  const [ranges = [], ...others] = groups
  const rows = await listFromMany(db, ranges, order, { after, offset, limit })
  if (others.length === 0 || rows.length === limit) return rows
  const rest = { after: undefined, offset: 0, limit: limit - rows.length }
  return [...rows, ...(await listFromRanges(db, others, order, rest))]
}

/** Reads rows of one group with more ranges than a statement holds. */
async function listFromMany(
  db: Db,
  ranges: readonly FacetRange[],
  order: ListOrder,
  { after, offset, limit }: RangeRequest,
): Promise<Cursor[]> {
  const compare = compareIn({ ...order, severity: undefined })
  let rows: Cursor[] = []
  let before: Cursor | undefined
  for (let start = 0; start < ranges.length; start += maxRangesPerStatement) {
    const some = ranges.slice(start, start + maxRangesPerStatement)
    const found = await mergeRanges(db, [some], order, { after, before, offset: 0, limit: offset + limit })
    rows = [...rows, ...found].sort(compare).slice(0, offset + limit)
    // Rows after the last one of these cannot be on the page.
    if (rows.length === offset + limit) before = rows.at(-1)
    await setImmediate()
  }
  return rows.slice(offset)
}

interface BoundedRequest extends RangeRequest {
  /** Only rows that precede this position. */
  before?: Cursor | undefined
}

/** The database merges the ranges as it reads them. */
async function mergeRanges(
  db: Db,
  groups: readonly (readonly FacetRange[])[],
  order: ListOrder,
  { after, before, offset, limit }: BoundedRequest,
): Promise<Cursor[]> {
  const byId = order.id === 'asc' ? sql`id asc` : sql`id desc`
  const [keyColumn, byKey] = order.key
    ? [sql`, ${raw(order.key.sql)} as sort_key`, sql`sort_key ${raw(order.id)}, ${byId}`]
    : [empty, byId]
  const selects = groups.flatMap((ranges, index) => {
    const bounds = index === 0 ? boundsIn(db, order, after, before) : boundsIn(db, order)
    return ranges.flatMap((range) => {
      const rows = sql`
        select severity, id ${keyColumn} from vulnerabilities ${indexOf(db, range)} where ${isIn(range)}`
      return bounds.map((bound) => sql`${rows} ${bound}`)
    })
  })
  const firstRows = sql`order by ${byKey} limit ${offset + limit}`
  const parts = selects.length > 1 ? selects.map((part) => db.dialect.partOfUnion(part, firstRows)) : selects
  const bySeverity = order.severity === 'asc' ? sql`severity asc` : sql`severity desc`
  const whole = groups.length > 1 ? sql`${bySeverity}, ${byKey}` : byKey
  return db.all(sql`${join(parts, ' union all ')} order by ${whole} limit ${limit} offset ${offset}`)
}

/** Returns conditions that together select the rows between two positions. */
function boundsIn({ dialect }: Db, { key, id }: ListOrder, after?: Cursor, before?: Cursor): Sql[] {
  if (!key) {
    const [low, high] = id === 'asc' ? [after, before] : [before, after]
    return [sql`and id > ${low?.id ?? 0} and id < ${high?.id ?? Number.MAX_SAFE_INTEGER}`]
  }
  const column = raw(key.sql)
  const [beyond, short] = id === 'asc' ? [raw('>'), raw('<')] : [raw('<'), raw('>')]
  if (dialect.engine === 'postgres') {
    const start = after ? sql`and (${column}, id) ${beyond} (${after.sortKey}, ${after.id})` : empty
    const end = before ? sql`and (${column}, id) ${short} (${before.sortKey}, ${before.id})` : empty
    return [sql`${start} ${end}`]
  }
  // For a comparison of the key and the id as a pair, SQLite reads all rows with the key. So the rest of the rows with
  // the key of the first position are selected apart.
  const end = before
    ? sql`and ${column} ${short}= ${before.sortKey} and (${column} <> ${before.sortKey} or id ${short} ${before.id})`
    : empty
  if (!after) return [end]
  const sameKey = sql`and ${column} = ${after.sortKey} and id ${beyond} ${after.id}`
  if (before && before.sortKey === after.sortKey) return [sql`${sameKey} and id ${short} ${before.id}`]
  return [sameKey, sql`and ${column} ${beyond} ${after.sortKey} ${end}`]
}

/** SQLite would prefer the index of all rows of a severity. */
const indexOf = ({ dialect }: Db, { assigneeId }: FacetRange): Sql =>
  assigneeId === undefined ? empty : dialect.indexedBy('vulnerabilities_by_assignee')

function isIn({ projectId, isOnDefaultBranch, severity, facets, assigneeId }: FacetRange): Sql {
  const common = sql`project_id = ${projectId} and is_on_default_branch = ${isOnDefaultBranch}
    and severity = ${severityRanks[severity]}`
  if (assigneeId !== undefined) return sql`coalesce(assignee_id, 0) = ${assigneeId ?? 0} and ${common}`
  if (!facets) return common
  return sql`${common} and state = ${facets.state} and report_type = ${facets.reportType}
    and scanner_id = ${facets.scannerId} and is_resolved_on_default_branch = ${facets.isResolvedOnDefaultBranch}
    and coalesce(dismissal_reason, '') = ${facets.dismissalReason ?? ''}`
}

/** Returns the number of vulnerabilities of an assignee by project. */
export async function countAssigned(db: Db, assigneeId: number): Promise<Map<number, number>> {
  const rows = await db.all<{ projectId: number; total: number }>(sql`
    select project_id, count(*) as total from vulnerabilities where coalesce(assignee_id, 0) = ${assigneeId}
    group by project_id order by project_id`)
  return new Map(rows.map(({ projectId, total }) => [projectId, total]))
}

/** Returns vulnerabilities with their findings. */
export async function listWithFindings(db: Db, ids: readonly number[]): Promise<VulnerabilityWithFinding[]> {
  const rows = await db.all<VulnerabilityWithFindingRow>(withFindings(db, ids))
  return rows.map(withFindingFrom)
}

const withFindings = fixedStatement(
  (dialect, ids: readonly number[]) => sql`
    select ${withFindingColumns} from vulnerabilities v join findings f on f.vulnerability_id = v.id ${joinAssignee}
    where v.id in ${dialect.integers(ids)}`,
)

/** Returns the versions of vulnerabilities and of their findings, and the assignees. */
export async function listRowVersions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; projectId: number; vulnerability: number; finding: number; assignee: Assignee | null }[]> {
  return db.all(rowVersions(db, ids))
}

const rowVersions = fixedStatement(
  (dialect, ids: readonly number[]) => sql`
    select v.id, v.project_id, v.version as vulnerability, f.version as finding, ${assigneeColumns}
    from vulnerabilities v join findings f on f.vulnerability_id = v.id ${joinAssignee}
    where v.id in ${dialect.integers(ids)}`,
)
