import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { type State, severityOf } from '../../../findings/scales.ts'
import { facetsOf } from '../promoted-queries.ts'

export async function countWrongFacetCounts(db: Db, projectId: number): Promise<number> {
  return countRows(db, facetCountDifferences(db, projectId))
}

/** Corrects the counts by adding the difference, so that concurrent changes stay correct. */
export async function insertFacetCountDifferences(db: Db, projectId: number): Promise<void> {
  await db.run(sql`
    insert into vulnerability_counts (project_id, ${facets}, dismissal_reason, total, seconds)
    ${facetCountDifferences(db, projectId)}
    on conflict (project_id, ${facets}, dismissal_reason) do update
    set total = vulnerability_counts.total + excluded.total, seconds = vulnerability_counts.seconds + excluded.seconds`)
}

export async function countWrongDays(db: Db, projectId: number): Promise<number> {
  return countRows(db, dayDifferences(projectId, ''))
}

/**
 * Corrects the growth by adding the difference to the given day. The wrong day cannot be determined: a vulnerability's
 * row stores only its current state, and its severity and branch may have changed since.
 */
export async function insertDayDifferences(db: Db, projectId: number, day: string): Promise<void> {
  await db.run(sql`
    insert into vulnerability_days (project_id, day, severity, growth) ${dayDifferences(projectId, day)}
    on conflict (project_id, day, severity) do update set growth = vulnerability_days.growth + excluded.growth`)
}

/**
 * Finding whose row in `promoted_findings` is wrong, missing or superfluous. A superfluous row has no vulnerability.
 */
interface WronglyPromoted {
  findingId: number
  vulnerabilityId: number | null
}

export async function listWronglyPromoted(db: Db, findingIds: readonly number[]): Promise<WronglyPromoted[]> {
  const rows = await db.all<PromotedRow>(sql`
    select f.id as finding_id, p.vulnerability_id as kept_vulnerability_id, p.facets, p.scanner_id as kept_scanner_id,
      v.id, v.severity, v.state, v.report_type, v.scanner_id, v.is_on_default_branch, v.is_resolved_on_default_branch,
      v.dismissal_reason
    from findings f left join vulnerabilities v on v.id = f.vulnerability_id
      left join promoted_findings p on p.finding_id = f.id
    where f.id in ${db.dialect.integers(findingIds)} and (v.id is not null or p.finding_id is not null)
    order by f.id`)
  return rows.flatMap((row) => (isCorrect(row) ? [] : [{ findingId: row.findingId, vulnerabilityId: row.id }]))
}

export async function deletePromoted(db: Db, findingIds: readonly number[]): Promise<void> {
  await db.run(sql`delete from promoted_findings where finding_id in ${db.dialect.integers(findingIds)}`)
}

/** Locks these findings and their vulnerabilities until the transaction ends. */
export async function lockWithVulnerabilities(db: Db, findingIds: readonly number[]): Promise<void> {
  const ids = db.dialect.integers(findingIds)
  await db.all(sql`
    select id from vulnerabilities where id in (select vulnerability_id from findings where id in ${ids})
    order by id ${db.dialect.forNoKeyUpdate}`)
  await db.all(sql`select id from findings where id in ${ids} order by id ${db.dialect.forNoKeyUpdate}`)
}

const facets = sql`is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch`

/**
 * Query of the differences per facet count, in the order in which other transactions update the counts, which avoids
 * deadlocks.
 */
function facetCountDifferences(db: Db, projectId: number): Sql {
  const { seconds } = db.dialect
  const took = sql`case when state = 'resolved' and resolved_at is not null
    then ${seconds(sql`resolved_at`)} - ${seconds(sql`created_at`)} else 0 end`
  return sql`
    select cast(${projectId} as bigint) as project_id, ${facets}, reason, cast(sum(total) as bigint) as total,
      cast(sum(seconds) as bigint) as seconds
    from (
      select ${facets}, coalesce(dismissal_reason, '') as reason, 1 as total, ${took} as seconds from vulnerabilities
      where project_id = ${projectId}
      union all
      select ${facets}, dismissal_reason as reason, -total, -seconds from vulnerability_counts
      where project_id = ${projectId}
    ) as compared
    group by ${facets}, reason having sum(total) <> 0 or sum(seconds) <> 0 order by ${facets}, reason`
}

function dayDifferences(projectId: number, day: string): Sql {
  return sql`
    select cast(${projectId} as bigint) as project_id, cast(${day} as text) as day, severity,
      cast(sum(growth) as bigint) as growth
    from (
      select severity, 1 as growth from vulnerabilities
      where project_id = ${projectId} and is_on_default_branch = true and state in ('detected', 'confirmed')
      union all
      select severity, -growth from vulnerability_days where project_id = ${projectId}
    ) as compared
    group by severity having sum(growth) <> 0 order by severity`
}

async function countRows(db: Db, rows: Sql): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from (${rows}) as counted`)
  return row?.total ?? 0
}

interface PromotedRow {
  findingId: number
  keptVulnerabilityId: number | null
  keptScannerId: number | null
  facets: number | null
  /** Id of the vulnerability; all of its columns are null when it does not exist. */
  id: number | null
  severity: number
  state: State
  reportType: string
  scannerId: number
  isOnDefaultBranch: boolean
  isResolvedOnDefaultBranch: boolean
  dismissalReason: string | null
}

function isCorrect(row: PromotedRow): boolean {
  if (row.id === null) return false
  const facets = facetsOf({
    severity: severityOf(row.severity),
    state: row.state,
    reportType: row.reportType,
    scannerId: row.scannerId,
    isOnDefaultBranch: row.isOnDefaultBranch,
    isResolvedOnDefaultBranch: row.isResolvedOnDefaultBranch,
    dismissalReason: row.dismissalReason,
  })
  return row.keptVulnerabilityId === row.id && row.keptScannerId === row.scannerId && row.facets === facets
}
