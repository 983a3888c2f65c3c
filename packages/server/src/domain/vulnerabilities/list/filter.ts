import type { ListOrder } from '../../findings/list/cursor.ts'
import type { Severity, State } from '../../findings/scales.ts'
import type { DismissalScope } from '../triage/dismissals/ref-dismissals.ts'
import type { Facets } from './counts/count-change-queries.ts'
import type { FacetCount } from './facet-count-queries.ts'

/** Filter of a list of vulnerabilities. Absent fields match everything; the values of a field are alternatives. */
export interface VulnerabilityFilter {
  states?: readonly State[] | undefined
  severities?: readonly Severity[] | undefined
  reportTypes?: readonly string[] | undefined
  /** External ids of scanners. */
  scanners?: readonly string[] | undefined
  isResolvedOnDefaultBranch?: boolean | undefined
  /** Combined with `states`: matches one of the states, or dismissed for one of the reasons. */
  dismissalReasons?: readonly string[] | undefined
  /** Ids of users; null matches vulnerabilities without an assignee. */
  assigneeIds?: readonly (number | null)[] | undefined
  /** Tags, case-insensitive. */
  tags?: readonly string[] | undefined
  /** Only vulnerabilities with none of these tags. */
  notTags?: readonly string[] | undefined
  /** How far the dismissal reaches. */
  dismissalScopes?: readonly DismissalScope[] | undefined
  /** Whether the dismissal ends; matches dismissed vulnerabilities only. */
  hasDismissalEnd?: boolean | undefined
  /** Only vulnerabilities whose dismissal ends before this day. */
  dismissalEndsBefore?: string | undefined
  /** Whether it is open after its due date. */
  isOverdue?: boolean | undefined
  /** Only vulnerabilities whose due date is before this day. */
  dueBefore?: string | undefined
  /** Only vulnerabilities whose due date is after this day. */
  dueAfter?: string | undefined
  /** Full names or external ids, case-insensitive. */
  identifiers?: readonly string[] | undefined
  /** Package URLs with or without a version, or names of packages. */
  packages?: readonly string[] | undefined
  search?: string | undefined
  /** Only vulnerabilities that are present on this ref. */
  ref?: string | undefined
  /** Only vulnerabilities that are not present on this ref. */
  notOnRef?: string | undefined
  /** Only vulnerabilities that are present on this ref, too. */
  alsoOnRef?: string | undefined
  /** Id of the rule that has changed it. */
  ruleId?: number | undefined
  /** Whether one of its CVEs is known to be exploited. */
  isKev?: boolean | undefined
  /** Minimum probability of exploitation, 0 to 1. */
  minEpss?: number | undefined
  /** Whether its report has a fix (`hasFix`). */
  hasFix?: boolean | undefined
  /** Whether the scanner reported a remediation, a patch. `hasFix` also counts solutions that state a version. */
  hasRemediations?: boolean | undefined
  /** Names of container images, exactly. Only reports of containers name one. */
  images?: readonly string[] | undefined
  /** Whether it has a link to an issue. */
  hasIssue?: boolean | undefined
  /** Categories of the OWASP Top 10, such as `a1_2021`; or only `none`, for vulnerabilities without any. */
  owaspTopTen?: readonly string[] | undefined
  /** Keys of flaws. */
  flaws?: readonly number[] | undefined
  /** Whether the default branch has ever had it. Absent: only those it had, unless `ref` is given. */
  isOnDefaultBranch?: boolean | undefined
}

/** Returns `undefined` if the default branch does not matter. */
export function wantedOnDefaultBranch({ ref, isOnDefaultBranch }: VulnerabilityFilter): boolean | undefined {
  return isOnDefaultBranch ?? (ref === undefined ? true : undefined)
}

/** Categories of the OWASP Top 10 of both years, such as `a1_2021`, and `none`. */
export const owaspCategories = [
  ...['2017', '2021'].flatMap((year) => Array.from({ length: 10 }, (_, index) => `a${index + 1}_${year}`)),
  'none',
]

export const vulnerabilitySorts = [
  'severity_desc',
  'severity_asc',
  'detected_desc',
  'detected_asc',
  'priority_desc',
  'priority_asc',
  'due_asc',
  'due_desc',
] as const
export type VulnerabilitySort = (typeof vulnerabilitySorts)[number]

/** The projects of a list. */
export interface ListScope {
  /** Cache key of this set of projects. */
  key: string
  projectIds: readonly number[]
}

/** Scope of a single project. Its key is the cache key of the project's lists. */
export const projectScope = (projectId: number): ListScope => ({
  key: `project ${projectId}`,
  projectIds: [projectId],
})

/** Returns the only assignee of the filter, or null for unassigned vulnerabilities. */
export function onlyAssignee({ assigneeIds }: VulnerabilityFilter): number | null | undefined {
  return assigneeIds?.length === 1 ? assigneeIds[0] : undefined
}

/** Returns the assignee whose rows an index has in the order of the list. */
export function rangeAssignee(filter: VulnerabilityFilter, order: ListOrder): number | null | undefined {
  return order.key ? undefined : onlyAssignee(filter)
}

/** The facets that filters test, of one vulnerability or of a count. */
export type FilteredFacets = Omit<Facets, 'scannerId'> & Pick<FacetCount, 'scanner'>

/** Returns true if the facets match the filter. */
export function matchesFacets(filter: VulnerabilityFilter, count: FilteredFacets): boolean {
  const { severities, reportTypes, scanners, isResolvedOnDefaultBranch: isResolved } = filter
  const isOnDefaultBranch = wantedOnDefaultBranch(filter)
  return (
    (isOnDefaultBranch === undefined || count.isOnDefaultBranch === isOnDefaultBranch) &&
    (!severities || severities.includes(count.severity)) &&
    (!reportTypes || reportTypes.includes(count.reportType)) &&
    (!scanners || (count.scanner !== null && scanners.includes(count.scanner))) &&
    (isResolved === undefined || count.isResolvedOnDefaultBranch === isResolved) &&
    hasState(filter, count) &&
    (!onlyDismissed(filter) || count.state === 'dismissed') &&
    (!filter.isOverdue || count.state === 'detected' || count.state === 'confirmed')
  )
}

const onlyDismissed = ({ hasDismissalEnd, dismissalEndsBefore }: VulnerabilityFilter) =>
  hasDismissalEnd !== undefined || dismissalEndsBefore !== undefined

/** Returns true for lists of a ref that are filtered by the state there, which facets do not know. */
export const filtersRefState = ({ ref, states, dismissalReasons, isOverdue }: VulnerabilityFilter): boolean =>
  ref !== undefined && (states !== undefined || dismissalReasons !== undefined || isOverdue !== undefined)

/** Returns the facets that lists of a ref need when some vulnerabilities are dismissed on that ref alone. */
export function withRefStates(filter: VulnerabilityFilter): VulnerabilityFilter {
  const { states, dismissalReasons } = filter
  if (!dismissalReasons && !states?.includes('dismissed')) return filter
  return { ...filter, states: [...(states ?? []), 'detected', 'confirmed'] }
}

function hasState({ states, dismissalReasons }: VulnerabilityFilter, count: FilteredFacets): boolean {
  if (!dismissalReasons) return !states || states.includes(count.state)
  const isDismissedForReason = count.state === 'dismissed' && dismissalReasons.includes(count.dismissalReason ?? '')
  return isDismissedForReason || states?.includes(count.state) === true
}
