import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { isCovered } from '../ref-comparison/covered-sql.ts'
import { reportTypes, type Severity, type State, severities, severityRanks, states } from '../scales.ts'
import type { UnindexedFilters } from './filtered-list.ts'
import type { FindingFilter, FindingScope } from './finding-filter.ts'
import { packageFilters } from './package-filter-sql.ts'
import { combineFilters, matchAll, otherRefFilters, textFilters, type UnindexedFilter } from './unindexed-filter-sql.ts'

/** Returns the filters other than severity and state, which the index of occurrences covers. */
export function unindexedFilters(db: Db, filter: FindingFilter): UnindexedFilters | undefined {
  const { importId, scanners, reportTypes, isPromoted } = filter
  const wanted = { ...filter, severities: filter.severities ?? severities, states: filter.states ?? states }
  const filters = [
    ...(importId === undefined ? [] : [importFilter(filter, importId)]),
    ...textFilters(db, filter, [filter.projectId]),
    ...packageFilters(db, filter, [filter.projectId]),
    ...otherRefFilters(filter),
    ...coverageFilters(db, filter),
    ...defaultBranchFilters(filter),
    ...(isPromoted === undefined ? [] : [promotionFilter(db.dialect, filter, isPromoted)]),
    ...(scanners || reportTypes ? [originFilter(db, filter, scanners, reportTypes)] : []),
  ]
  return combineFilters(db, filters, {
    column: 'id',
    selectRows: (candidates, others) => selectPresent(db, wanted, candidates, others),
  })
}

/** Selects the cursors of those candidates that are present on the ref and match the filter and all conditions. */
export function selectPresent(
  { dialect }: Db,
  wanted: FindingScope & { severities: readonly Severity[]; states: readonly State[] },
  candidates: Sql,
  filters: readonly UnindexedFilter[],
): Sql {
  // `+` disables the index of the ref: with outdated statistics PostgreSQL would expect few rows and scan it for each
  // candidate.
  return sql`
    select o.severity, o.finding_id as id from occurrences o
      cross join findings f ${dialect.indexedBy('findings_filter_columns')}
    where o.finding_id ${dialect.among(candidates)} and o.ref = ${wanted.ref} and +o.project_id = ${wanted.projectId}
      and o.is_present = true and o.state in ${dialect.texts(wanted.states)}
      and o.severity in ${dialect.integers(wanted.severities.map((severity) => severityRanks[severity]))}
      and f.id = o.finding_id ${matchAll(filters)}`
}

/** Filters by scanner, report type or both; `undefined` matches any. */
function originFilter(
  { dialect }: Db,
  { projectId }: FindingScope,
  scanners: readonly string[] | undefined,
  types: readonly string[] | undefined,
): UnindexedFilter {
  const isAmong = scanners ? sql`and s.external_id in ${dialect.texts(scanners)}` : empty
  const scannerIds = sql`select s.id from scanners s where s.project_id = ${projectId} ${isAmong}`
  return {
    indexes: (types ?? reportTypes).map((type) => ({
      keys: scannerIds,
      findingsOf: [findingsOfScanner(type)],
    })),
    condition: sql`${types ? sql`f.report_type in ${dialect.texts(types)}` : sql`1 = 1`} ${
      scanners ? sql`and f.scanner_id in (${scannerIds})` : empty
    }`,
  }
}

const findingsOfScanner = (reportType: string) => (isKey: Sql) =>
  sql`select f.id from findings f where f.scanner_id ${isKey} and f.report_type = ${reportType}`

/** Filters the findings that a complete scan of another ref covers. Each row of the list is tested. */
function coverageFilters(db: Db, { ref, scannedOnRef }: FindingFilter): UnindexedFilter[] {
  if (scannedOnRef === undefined) return []
  return [
    {
      condition: sql`exists (
        select 1 from occurrences o
        where o.finding_id = f.id and o.ref = ${ref} and o.is_present = true and ${isCovered(db, scannedOnRef, [])})`,
    },
  ]
}

/** Filters by the occurrence on the default branch, which stays after the finding is absent. Each row of the list is tested. */
function defaultBranchFilters({ defaultBranch }: FindingFilter): UnindexedFilter[] {
  if (!defaultBranch) return []
  const { ref, wasPresent, isResolved } = defaultBranch
  const occurs = (expected: boolean, state: Sql): UnindexedFilter => ({
    condition: sql`${expected ? empty : sql`not`} exists (
      select 1 from occurrences d where d.finding_id = f.id and d.ref = ${ref} ${state})`,
  })
  return [
    ...(wasPresent === undefined ? [] : [occurs(wasPresent, empty)]),
    ...(isResolved === undefined ? [] : [occurs(isResolved, sql`and d.is_present = false`)]),
  ]
}

/** Filters by whether the finding has a vulnerability. */
export function promotionFilter(
  { indexedBy }: Db['dialect'],
  { projectId }: FindingScope,
  isPromoted: boolean,
): UnindexedFilter {
  if (isPromoted) return { condition: sql`f.vulnerability_id is not null` }
  const unpromoted = (isKey: Sql) => sql`
    select f.id from findings f ${indexedBy('findings_unpromoted')}
    where f.project_id ${isKey} and f.vulnerability_id is null`
  return { indexes: [{ keys: [projectId], findingsOf: [unpromoted] }], condition: sql`f.vulnerability_id is null` }
}

/**
 * Filters the findings that an import covers. The import must have scanned the finding's type after its first
 * observation, for the whole ref or for a category that contains the finding. Every later complete scan has observed
 * present findings.
 */
function importFilter({ ref }: FindingScope, importId: number): UnindexedFilter {
  return {
    indexes: reportTypes.map((type) => ({
      keys: sql`select s.scanner_id as id from scans s where s.import_id = ${importId} and s.report_type = ${type}`,
      findingsOf: [findingsOfScanner(type)],
    })),
    isSuperset: true,
    condition: sql`exists (
      select 1 from occurrences o
        join scans s on s.scanner_id = f.scanner_id and s.report_type = f.report_type and s.ref = o.ref
      where o.finding_id = f.id and o.ref = ${ref} and o.first_import_id <= ${importId} and s.import_id = ${importId}
        and (o.first_import_id = ${importId} or o.last_import_id = ${importId} or (s.is_complete = true
          and (s.category_id is null or exists (
            select 1 from occurrence_categories c where c.occurrence_id = o.id and c.category_id = s.category_id)))))`,
  }
}
