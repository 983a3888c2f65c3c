import { setImmediate } from 'node:timers/promises'
import sql, { empty, join, type RawValue, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { snakeCase } from '../../../db/rows.ts'
import { staticStatement } from '../../../db/static-statement.ts'
import { type Cursor, compareIn, type ListOrder } from '../../findings/list/cursor.ts'
import type { RangeRequest } from '../../findings/list/index-range.ts'
import { type Severity, severityRanks } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import type { Assignee, VulnerabilityWithFinding } from '../vulnerability.ts'
import {
  assigneeColumns,
  joinAssignee,
  joinFinding,
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
export const maxRangesPerStatement = 100

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
  const total = offset + limit
  const firsts = await listFirstRows(db, ranges, order, { after, limit: total })
  const relevant = firsts.map(({ range }) => range)
  let rows: Cursor[] = firsts.map(({ range: _, ...row }) => row)
  for (const some of chunks(relevant, maxRangesPerStatement)) {
    // Rows after the last one of these cannot be on the page.
    const before = rows.length === total ? rows.at(-1) : undefined
    const found = await mergeRanges(db, [some], order, { after, before, offset: 0, limit: total })
    // Most first rows are found again. Those that have left their ranges stay, or the page would skip rows of others.
    const distinct = new Map([...found, ...rows].map((row) => [row.id, row]))
    rows = [...distinct.values()].sort(compare).slice(0, total)
    await setImmediate()
  }
  return rows.slice(offset)
}

/** Ranges whose first rows one statement finds. */
const maxRangesOfFirstRows = 2000

/**
 * Returns the first `limit` first rows of ranges. Only their ranges can have some of the first `limit` rows. Finding the
 * first row of a range takes one step in the index, a part of a union takes 50 times as long.
 */
async function listFirstRows(
  db: Db,
  ranges: readonly FacetRange[],
  order: ListOrder,
  { after, limit }: Omit<RangeRequest, 'offset'>,
): Promise<(Cursor & { range: FacetRange })[]> {
  const compare = compareIn({ ...order, severity: undefined })
  let firsts: (Cursor & { range: FacetRange })[] = []
  for (const some of chunks(ranges, maxRangesOfFirstRows)) {
    for (const alike of groupBy(some, kindOf).values()) {
      const rows = await listFirstOfEach(db, alike, order, after)
      firsts.push(...rows.map(({ rangeIndex, ...row }) => ({ ...row, range: alike[rangeIndex] as FacetRange }))) // an index of `alike`
    }
    firsts = firsts.sort(compare).slice(0, limit)
    await setImmediate()
  }
  return firsts
}

/** Ranges of one kind have the same columns. */
const kindOf = ({ facets, assigneeId }: FacetRange) =>
  assigneeId !== undefined ? 'assignee' : facets ? 'facets' : 'severity'

function* chunks<T>(values: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < values.length; start += size) yield values.slice(start, start + size)
}

const rangeColumns = {
  rangeIndex: 'integer',
  projectId: 'integer',
  isOnDefaultBranch: 'boolean',
  severity: 'integer',
  state: 'text',
  reportType: 'text',
  scannerId: 'integer',
  isResolvedOnDefaultBranch: 'boolean',
  dismissalReason: 'text',
  assigneeId: 'integer',
} as const

/** Returns the first row of each range of one kind that has rows. */
async function listFirstOfEach(
  db: Db,
  ranges: readonly FacetRange[],
  order: ListOrder,
  after: Cursor | undefined,
): Promise<(Cursor & { rangeIndex: number })[]> {
  const [range] = ranges
  if (!range) return []
  const records = ranges.map((range, rangeIndex) => ({ rangeIndex, ...valuesOf(range) }))
  const firstRow = sql`order by ${order.key ? sql`${raw(order.key.sql)} ${raw(order.id)},` : empty} id ${raw(order.id)} limit 1`
  const inRange = sql`${indexOf(db, range)} where ${isIn(kindOf(range), columnsOfRecord)}`
  const first = (column: string) => {
    // Each bound selects rows that precede those of the next one.
    const found = boundsIn(db, order, after).map(
      (bound) => sql`(select ${raw(column)} from vulnerabilities ${inRange} ${bound} ${firstRow})`,
    )
    return found.length > 1 ? sql`coalesce(${join(found)})` : join(found)
  }
  // One statement reads both columns, so they are of the same row.
  const rows = await db.all<{ rangeIndex: number; severity: number; id: number | null; sortKey?: number | string }>(sql`
    select r.range_index, r.severity, ${first('id')} as id
      ${order.key ? sql`, ${first(order.key.sql)} as sort_key` : empty}
    from ${db.dialect.records(records, rangeColumns)} r`)
  return rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ ...row, id }]))
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
        select severity, id ${keyColumn} from vulnerabilities ${indexOf(db, range)} where ${isIn(kindOf(range), valuesOf(range))}`
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
export function boundsIn({ dialect }: Db, { key, id }: ListOrder, after?: Cursor, before?: Cursor): Sql[] {
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

/** Values by which a range is selected, or columns that have them. */
type RangeValues = Record<Exclude<keyof typeof rangeColumns, 'rangeIndex'>, RawValue>

const columnsOfRecord = Object.fromEntries(
  Object.keys(rangeColumns).map((name) => [name, raw(`r.${snakeCase(name)}`)]),
) as RangeValues // one for each column

function valuesOf({ severity, facets, assigneeId, ...range }: FacetRange): RangeValues {
  return {
    ...range,
    ...(facets ?? noFacets),
    severity: severityRanks[severity],
    dismissalReason: facets?.dismissalReason ?? '',
    assigneeId: assigneeId ?? 0,
  }
}

const noFacets = { state: '', reportType: '', scannerId: 0, isResolvedOnDefaultBranch: false }

function isIn(kind: ReturnType<typeof kindOf>, values: RangeValues): Sql {
  const common = sql`project_id = ${values.projectId} and is_on_default_branch = ${values.isOnDefaultBranch}
    and severity = ${values.severity}`
  if (kind === 'assignee') return sql`coalesce(assignee_id, 0) = ${values.assigneeId} and ${common}`
  if (kind === 'severity') return common
  return sql`${common} and state = ${values.state} and report_type = ${values.reportType}
    and scanner_id = ${values.scannerId} and is_resolved_on_default_branch = ${values.isResolvedOnDefaultBranch}
    and coalesce(dismissal_reason, '') = ${values.dismissalReason}`
}

/** Returns the number of vulnerabilities of an assignee by project. */
export async function countAssigned(db: Db, assigneeId: number): Promise<Map<number, number>> {
  const rows = await db.all<{ projectId: number; total: number }>(sql`
    select project_id, count(*) as total from vulnerabilities where coalesce(assignee_id, 0) = ${assigneeId}
    group by project_id order by project_id`)
  return new Map(rows.map(({ projectId, total }) => [projectId, total]))
}

/** Returns vulnerabilities with their findings, scanners and identifiers. */
export async function listWithFindings(db: Db, ids: readonly number[]): Promise<VulnerabilityWithFinding[]> {
  const rows = await db.all<VulnerabilityWithFindingRow>(withFindings(db, ids))
  return rows.map(withFindingFrom)
}

const withFindings = staticStatement((dialect) => {
  const columns = withFindingColumns(dialect)
  return (ids: readonly number[]) => sql`
    select ${columns} from vulnerabilities v ${joinFinding}
    where v.id in ${dialect.integers(ids)}`
})

/** Returns the versions of vulnerabilities and of their findings, and the assignees. */
export async function listRowVersions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; projectId: number; vulnerability: number; finding: number; assignee: Assignee | null }[]> {
  return db.all(rowVersions(db, ids))
}

const rowVersions = staticStatement(
  (dialect) => (ids: readonly number[]) =>
    sql`
    select v.id, v.project_id, v.version as vulnerability, f.version as finding, ${assigneeColumns}
    from vulnerabilities v join findings f on f.vulnerability_id = v.id ${joinAssignee}
    where v.id in ${dialect.integers(ids)}`,
)
