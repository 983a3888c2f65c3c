import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { UnindexedFilters } from '../../findings/list/filtered-list.ts'
import {
  absenceFilters,
  combineFilters,
  matchAll,
  refFilter,
  textFilters,
  type UnindexedFilter,
} from '../../findings/list/unindexed-filter-sql.ts'
import type { FacetCount } from './facet-count-queries.ts'
import type { VulnerabilityFilter } from './filter.ts'
import { facetsOf, packedSeverity } from './promoted-queries.ts'

/** Returns the filters that no facet covers. `counts` are the facet counts that match the filter. */
export function unindexedFilters(
  db: Db,
  filter: VulnerabilityFilter,
  projectIds: readonly number[],
  counts: readonly FacetCount[],
): UnindexedFilters | undefined {
  const byRef = filter.ref === undefined ? [] : [refFilter(filter.ref, projectIds)]
  const filters = [...textFilters(db, filter, projectIds), ...byRef, ...absenceFilters(filter)]
  return combineFilters(db, filters, {
    column: 'vulnerability_id',
    selectRows: (candidates, others) => selectPromoted(db, candidates, counts, others),
  })
}

/** Selects the cursors of candidate findings whose facets match the counts, and which match the unindexed filters. */
function selectPromoted(
  { dialect }: Db,
  candidates: Sql,
  counts: readonly FacetCount[],
  filters: readonly UnindexedFilter[],
): Sql {
  const facets = dialect.integers([...new Set(counts.map(facetsOf))])
  const scanners = dialect.integers([...new Set(counts.map(({ scannerId }) => scannerId))])
  const findings =
    filters.length > 0 ? sql`cross join findings f ${dialect.indexedBy('findings_filter_columns')}` : empty
  const isFinding = filters.length > 0 ? sql`and f.id = p.finding_id` : empty
  return sql`
    select ${packedSeverity} as severity, p.vulnerability_id as id
    from (${candidates}) as c cross join promoted_findings p ${findings}
    where p.finding_id = c.id and p.facets in ${facets} and p.scanner_id in ${scanners} ${isFinding} ${matchAll(filters)}`
}
