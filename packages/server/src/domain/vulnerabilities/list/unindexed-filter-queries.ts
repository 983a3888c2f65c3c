import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { ListOrder } from '../../findings/list/cursor.ts'
import type { UnindexedFilters } from '../../findings/list/filtered-list.ts'
import { packageFilters } from '../../findings/list/package-filter-sql.ts'
import {
  combineFilters,
  matchAll,
  otherRefFilters,
  refFilter,
  textFilters,
  type UnindexedFilter,
} from '../../findings/list/unindexed-filter-sql.ts'
import type { FacetCount } from './facet-count-queries.ts'
import type { VulnerabilityFilter } from './filter.ts'
import { dismissalEndFilters } from './filter-sql/dismissal-end-sql.ts'
import { dueDateFilters } from './filter-sql/due-date-sql.ts'
import { findingFilters } from './filter-sql/finding-filter-sql.ts'
import { flawFilters } from './filter-sql/flaw-filter-sql.ts'
import { byIndexedColumns, ofVulnerabilities } from './filter-sql/indexed-columns-sql.ts'
import { issueFilters, owaspFilters } from './filter-sql/issue-filter-sql.ts'
import { tagFilters } from './filter-sql/tag-filter-sql.ts'
import { threatFilters } from './filter-sql/threat-filter-sql.ts'
import { facetsOf, packedSeverity } from './promoted-queries.ts'
import { dismissalScopeFilters, refStateFilters } from './ref-state-queries.ts'

interface FilteredRows {
  filter: VulnerabilityFilter
  projectIds: readonly number[]
  /** The facet counts that match the filter. */
  counts: readonly FacetCount[]
  order: ListOrder
  /** Assignee to whose rows the index ranges are narrowed, or null for unassigned rows. Such ranges have all facets. */
  assigneeId?: number | null | undefined
  /** Date in UTC, for the filter of overdue vulnerabilities. */
  today: string
  /** Some vulnerabilities are dismissed on the ref of the list alone, and the filter depends on the state. */
  hasRefStates?: boolean
}

/** Returns the filters that no facet covers. */
export function unindexedFilters(
  db: Db,
  { filter, projectIds, counts, order, assigneeId, today, hasRefStates }: FilteredRows,
): UnindexedFilters | undefined {
  // Built once and only if needed: a list of many projects has many counts, and each batch of candidates has the condition.
  let facets: Sql | undefined
  const hasFacets = () => {
    facets ??= hasFacetsOf(db.dialect, counts)
    return facets
  }
  const byRef = filter.ref === undefined ? [] : [refFilter(filter.ref, projectIds)]
  const filters = [
    ...textFilters(db, filter, projectIds),
    ...packageFilters(db, filter, projectIds),
    ...threatFilters(db, filter, projectIds),
    ...ruleFilters(db, filter, projectIds),
    ...issueFilters(db, filter, projectIds),
    ...owaspFilters(db, filter, projectIds),
    ...findingFilters(db, filter, projectIds),
    ...byRef,
    ...otherRefFilters(filter),
    ...assigneeFilters(db, { filter, projectIds, assigneeId }, hasFacets),
    ...dismissalEndFilters(db, filter, projectIds),
    ...tagFilters(db, filter, projectIds),
    ...flawFilters(db, filter, projectIds),
    ...(hasRefStates ? refStateFilters(db, filter) : []),
    ...dismissalScopeFilters(db, filter, projectIds),
    ...dueDateFilters(db, filter, { projectIds, today, openOn: hasRefStates ? filter.ref : undefined }),
  ]
  return combineFilters(db, filters, {
    column: 'vulnerability_id',
    selectRows: (candidates, others) => selectPromoted(db, candidates, { hasFacets, order }, others),
  })
}

/** Selects vulnerabilities that a rule has changed. */
const ruleFilters = (db: Db, { ruleId }: VulnerabilityFilter, projectIds: readonly number[]): UnindexedFilter[] =>
  ruleId === undefined
    ? []
    : [byIndexedColumns(db, { indexed: sql`v.rule_id = ${ruleId}`, condition: sql`true`, projectIds })]

/** Selects findings by the assignee. The index ranges of one assignee contain all facets, so these are tested, too. */
function assigneeFilters(
  { dialect }: Db,
  { filter, projectIds, assigneeId }: Pick<FilteredRows, 'filter' | 'projectIds' | 'assigneeId'>,
  hasFacets: () => Sql,
): UnindexedFilter[] {
  const { assigneeIds } = filter
  if (!assigneeIds) return []
  const isAssigned = {
    condition: sql`exists (
      select 1 from vulnerabilities a
      where a.id = f.vulnerability_id and coalesce(a.assignee_id, 0) in ${dialect.integers(assigneeIds.map((id) => id ?? 0))})`,
  }
  if (assigneeId !== undefined) {
    const condition = sql`exists (
      select 1 from promoted_findings p where p.finding_id = f.id and ${hasFacets()})`
    return [isAssigned, { condition }]
  }
  const ids = assigneeIds.filter((id) => id !== null)
  // Unassigned vulnerabilities are mostly too many.
  return [
    ids.length < assigneeIds.length
      ? isAssigned
      : { ...isAssigned, indexes: [assignedIndex(dialect, ids, projectIds)] },
  ]
}

const assignedIndex = ({ integers }: Db['dialect'], ids: readonly number[], projectIds: readonly number[]) => ({
  keys: sql`
    select id from vulnerabilities
    where coalesce(assignee_id, 0) in ${integers(ids)} and project_id in ${integers(projectIds)}`,
  findingsOf: [ofVulnerabilities],
})

/** Condition on the table `promoted_findings`, aliased `p`: it has facets of one of the counts. */
function hasFacetsOf(dialect: Db['dialect'], counts: readonly FacetCount[]): Sql {
  const facets = dialect.integers([...new Set(counts.map(facetsOf))])
  const scanners = dialect.integers([...new Set(counts.map(({ scannerId }) => scannerId))])
  return sql`p.facets in ${facets} and p.scanner_id in ${scanners}`
}

/** Selects the cursors of candidate findings whose facets match the counts, and which match the unindexed filters. */
function selectPromoted(
  { dialect }: Db,
  candidates: Sql,
  { hasFacets, order: { key } }: Pick<FilteredRows, 'order'> & { hasFacets: () => Sql },
  filters: readonly UnindexedFilter[],
): Sql {
  const findings =
    filters.length > 0 ? sql`cross join findings f ${dialect.indexedBy('findings_filter_columns')}` : empty
  const sortKey = key
    ? sql`, (select ${raw(key.sql)} from vulnerabilities where id = p.vulnerability_id) as sort_key`
    : empty
  const isFinding = filters.length > 0 ? sql`and f.id = p.finding_id` : empty
  return sql`
    select ${packedSeverity} as severity, p.vulnerability_id as id ${sortKey}
    from (${candidates}) as c cross join promoted_findings p ${findings}
    where p.finding_id = c.id and ${hasFacets()} ${isFinding} ${matchAll(filters)}`
}
