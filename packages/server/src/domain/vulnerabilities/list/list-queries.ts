import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Finding } from '../../findings/finding.ts'
import { type FindingRow, findingColumns, findingFrom } from '../../findings/finding-sql.ts'
import { type Severity, severityRanks } from '../../findings/scales.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type VulnerabilityRow, vulnerabilityColumns, vulnerabilityFrom } from '../vulnerability-rows.ts'
import type { Cell } from './count-queries.ts'

/** Position of a vulnerability in a list of any order. */
export interface Position {
  severity: number
  id: number
}

/** A range of an index that has vulnerabilities in id order. */
export interface Stretch {
  projectId: number
  isOnDefaultBranch: boolean
  severity: Severity
  /** Absent: all vulnerabilities of the severity. */
  cell?: Cell | undefined
}

/** Returns the first ids after the given one of all ranges together. The database merges the ranges. */
export async function listStretches(
  db: Db,
  stretches: readonly Stretch[],
  direction: 'asc' | 'desc',
  after: number | undefined,
  limit: number,
): Promise<Position[]> {
  const order = direction === 'asc' ? sql`asc` : sql`desc`
  const start = after ?? (direction === 'asc' ? 0 : Number.MAX_SAFE_INTEGER)
  const isBehind = direction === 'asc' ? sql`id > ${start}` : sql`id < ${start}`
  const orderAndLimit = sql`order by id ${order} limit ${limit}`
  const selects = stretches.map(
    (stretch) => sql`select severity, id from vulnerabilities where ${isIn(stretch)} and ${isBehind}`,
  )
  const parts = selects.length > 1 ? selects.map((part) => db.dialect.partOfUnion(part, orderAndLimit)) : selects
  return db.all(sql`${join(parts, ' union all ')} ${orderAndLimit}`)
}

function isIn({ projectId, isOnDefaultBranch, severity, cell }: Stretch): Sql {
  const common = sql`project_id = ${projectId} and is_on_default_branch = ${isOnDefaultBranch}
    and severity = ${severityRanks[severity]}`
  if (!cell) return common
  return sql`${common} and state = ${cell.state} and report_type = ${cell.reportType} and scanner_id = ${cell.scannerId}
    and is_resolved_on_default_branch = ${cell.isResolvedOnDefaultBranch}
    and coalesce(dismissal_reason, '') = ${cell.dismissalReason ?? ''}`
}

export async function listVulnerabilitiesById(db: Db, ids: readonly number[]): Promise<Vulnerability[]> {
  const rows = await db.all<VulnerabilityRow>(sql`
    select ${vulnerabilityColumns} from vulnerabilities where id in ${db.dialect.integers(ids)} order by id`)
  return rows.map(vulnerabilityFrom)
}

export async function listFindingsOf(db: Db, vulnerabilityIds: readonly number[]): Promise<Finding[]> {
  const rows = await db.all<FindingRow>(sql`
    select ${findingColumns} from findings f
    where f.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by f.id`)
  return rows.map(findingFrom)
}
