import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { CountedCell } from './cell-queries.ts'
import type { VulnerabilityFilter } from './filter.ts'
import { type Probe, passAll } from './probe-queries.ts'
import { facetsOf, severityIn } from './promoted-queries.ts'

/** Returns the facet part of a filter as a condition on the table `promoted_findings`, aliased `p`. */
export function areWanted({ dialect }: Db, { scanners }: VulnerabilityFilter, wanted: readonly CountedCell[]): Sql {
  const facets = sql`p.facets in ${dialect.integers([...new Set(wanted.map(facetsOf))])}`
  if (!scanners) return facets
  return sql`${facets} and p.scanner_id in ${dialect.integers([...new Set(wanted.map(({ scannerId }) => scannerId))])}`
}

/** Selects the positions of candidate findings that match the facets and all unindexed filters. */
export function selectListed({ dialect }: Db, candidates: Sql, areWanted: Sql, probes: readonly Probe[]): Sql {
  const findings =
    probes.length > 0 ? sql`cross join findings f ${dialect.indexedBy('findings_filter_columns')}` : empty
  const isFinding = probes.length > 0 ? sql`and f.id = p.finding_id` : empty
  return sql`
    select ${severityIn(sql`p.facets`)} as severity, p.vulnerability_id as id
    from (${candidates}) as c cross join promoted_findings p ${findings}
    where p.finding_id = c.id and ${areWanted} ${isFinding} ${passAll(probes)}`
}
