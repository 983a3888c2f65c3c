import type { Severity, State } from '../../findings/scales.ts'
import type { CountedCell } from './cell-queries.ts'

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
  /** Full names or external ids, case-insensitive. */
  identifiers?: readonly string[] | undefined
  search?: string | undefined
  /** Only vulnerabilities that are present on this ref. */
  ref?: string | undefined
  /** Whether the default branch has ever had it. Absent: only those it had, unless `ref` is given. */
  isOnDefaultBranch?: boolean | undefined
}

/** Returns `undefined` if the default branch does not matter. */
function wantedOnDefaultBranch({ ref, isOnDefaultBranch }: VulnerabilityFilter): boolean | undefined {
  return isOnDefaultBranch ?? (ref === undefined ? true : undefined)
}

export const vulnerabilitySorts = ['severity_desc', 'severity_asc', 'detected_desc', 'detected_asc'] as const
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

/** Returns true if the facets of a count match the filter. */
export function hasCell(filter: VulnerabilityFilter, cell: CountedCell): boolean {
  const { severities, reportTypes, scanners, isResolvedOnDefaultBranch: isResolved } = filter
  const isOnDefaultBranch = wantedOnDefaultBranch(filter)
  return (
    (isOnDefaultBranch === undefined || cell.isOnDefaultBranch === isOnDefaultBranch) &&
    (!severities || severities.includes(cell.severity)) &&
    (!reportTypes || reportTypes.includes(cell.reportType)) &&
    (!scanners || (cell.scanner !== null && scanners.includes(cell.scanner))) &&
    (isResolved === undefined || cell.isResolvedOnDefaultBranch === isResolved) &&
    hasState(filter, cell)
  )
}

function hasState({ states, dismissalReasons }: VulnerabilityFilter, cell: CountedCell): boolean {
  if (!dismissalReasons) return !states || states.includes(cell.state)
  const isDismissedSo = cell.state === 'dismissed' && dismissalReasons.includes(cell.dismissalReason ?? '')
  return isDismissedSo || states?.includes(cell.state) === true
}

/** Returns the words of a search that the index supports; empty if all are too short. */
export function searchTerms(search: string): string[] {
  const words = search.slice(0, maxSearchLength).trim().split(/\s+/)
  return words.filter((word) => [...word].length >= shortestTerm).slice(0, maxTerms)
}

const shortestTerm = 3
/** Maximum length of a search; further words hardly narrow the result and are slow. */
const maxSearchLength = 1024
const maxTerms = 64
