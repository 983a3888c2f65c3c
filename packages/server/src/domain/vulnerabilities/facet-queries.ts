import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { CountedCell } from './cell-queries.ts'
import { type VulnerabilityFilter, wantedOnDefaultBranch } from './filter.ts'
import { type Probe, passAll } from './probe-queries.ts'
import { severityRanks } from './scales.ts'

/** The facets of a filter as conditions on the table `vulnerabilities`, called `v`. */
export function facetsOf({ dialect }: Db, filter: VulnerabilityFilter, wanted: readonly CountedCell[]): Sql {
  const { states, severities, reportTypes, scanners, isResolvedOnDefaultBranch, dismissalReasons } = filter
  const conditions: Sql[] = []
  const isOnDefaultBranch = wantedOnDefaultBranch(filter)
  if (isOnDefaultBranch !== undefined) conditions.push(sql`v.is_on_default_branch = ${isOnDefaultBranch}`)
  if (severities) {
    conditions.push(sql`v.severity in ${dialect.integers(severities.map((severity) => severityRanks[severity]))}`)
  }
  if (reportTypes) conditions.push(sql`v.report_type in ${dialect.texts(reportTypes)}`)
  if (scanners) {
    conditions.push(sql`v.scanner_id in ${dialect.integers([...new Set(wanted.map(({ scannerId }) => scannerId))])}`)
  }
  if (isResolvedOnDefaultBranch !== undefined) {
    conditions.push(sql`v.is_resolved_on_default_branch = ${isResolvedOnDefaultBranch}`)
  }
  const isInState = sql`v.state in ${dialect.texts(states ?? [])}`
  if (dismissalReasons) {
    conditions.push(
      sql`(${isInState} or v.state = 'dismissed' and v.dismissal_reason in ${dialect.texts(dismissalReasons)})`,
    )
  } else if (states) conditions.push(isInState)
  return join([sql`1 = 1`, ...conditions], ' and ')
}

/** Of candidates, which are findings, the positions of the vulnerabilities that the facets and probes let through. */
export function selectListed({ dialect }: Db, candidates: Sql, facets: Sql, probes: readonly Probe[]): Sql {
  return sql`
    select v.severity, v.id from (${candidates}) as c
      cross join findings f ${dialect.indexedBy('findings_narrow')} cross join vulnerabilities v
    where f.id = c.id and v.id = f.vulnerability_id and ${facets} ${passAll(probes)}`
}
