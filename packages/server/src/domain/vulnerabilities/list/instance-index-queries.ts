import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Cursor, ListOrder } from '../../findings/list/cursor.ts'
import type { State } from '../../findings/scales.ts'
import { boundsIn } from './list-queries.ts'

/** Vulnerability of any project, with the columns that decide whether it is in a list without unindexed filters. */
export interface InstanceRow extends Cursor {
  projectId: number
  isOnDefaultBranch: boolean
  state: State
  reportType: string
  scannerId: number
  isResolvedOnDefaultBranch: boolean
  dismissalReason: string | null
}

interface InstanceRequest {
  order: ListOrder
  /** Selects rows of this severity, in an order by severity. */
  severity: number | undefined
  /** Selects rows with this assignee. */
  assigneeId: number | undefined
  after: Cursor | undefined
  limit: number
}

/** Returns the next rows of the whole instance; fewer than `limit` only at the end. Reads no rows but these. */
export async function listInstanceRows(
  db: Db,
  { order, severity, assigneeId, after, limit }: InstanceRequest,
): Promise<InstanceRow[]> {
  const { key, id } = order
  const keyColumn = key ? sql`, ${raw(key.sql)} as sort_key` : empty
  const comparesRows = severity !== undefined && assigneeId === undefined && db.dialect.engine === 'postgres'
  const byKey = key ? sql`${raw(key.sql)} ${raw(id)},` : comparesRows ? sql`severity ${raw(id)},` : empty
  const bounds = comparesRows ? [rowBound(severity, id, after)] : boundsIn(db, order, after)
  const found: InstanceRow[] = []
  // Each bound selects rows that precede those of the next one.
  for (const bound of bounds) {
    if (found.length >= limit) break
    const rows = await db.all<InstanceRow>(sql`
      select id, severity, project_id, is_on_default_branch, state, report_type, scanner_id, is_resolved_on_default_branch,
        dismissal_reason ${keyColumn}
      from vulnerabilities ${assigneeId === undefined ? fromIndex(db, order) : ofAssignee(db, assigneeId)}
        ${severity === undefined || comparesRows ? empty : sql`and severity = ${severity}`} ${bound}
      order by ${byKey} id ${raw(id)} limit ${limit - found.length}`)
    found.push(...rows)
  }
  return found
}

/** With `severity = …`, PostgreSQL would prefer the order of the primary key and read the rows of other severities. */
function rowBound(severity: number, direction: ListOrder['id'], after: Cursor | undefined): Sql {
  return direction === 'asc'
    ? sql`and (severity, id) > (${severity}, ${after?.id ?? 0}) and severity <= ${severity}`
    : sql`and (severity, id) < (${severity}, ${after?.id ?? Number.MAX_SAFE_INTEGER}) and severity >= ${severity}`
}

/** Partial indexes have the rows in the order of the severity or a key, and their predicate is in no other statement. */
function fromIndex({ dialect }: Db, { key, severity }: ListOrder): Sql {
  if (!key && !severity) return sql`where true`
  const index = key ? indexes[key.sql] : 'vulnerabilities_in_severity_order'
  if (!index) throw new Error(`no index has all vulnerabilities in the order of ${key?.sql}`)
  return sql`${dialect.indexedBy(index)} where confidence >= 0`
}

/** Without a severity, the rows of the assignee are sorted. */
const ofAssignee = ({ dialect }: Db, assigneeId: number): Sql =>
  sql`${dialect.indexedBy('vulnerabilities_assignee')} where assignee_id = ${assigneeId}`

const indexes: Readonly<Record<string, string>> = {
  priority: 'vulnerabilities_in_priority_order',
  due_key: 'vulnerabilities_in_due_date_order',
}
