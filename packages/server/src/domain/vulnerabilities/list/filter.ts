import type { Severity, State } from '../scales.ts'
import type { CountedCell } from './cell-queries.ts'

/** What a list of vulnerabilities is narrowed by; what is absent does not narrow. Values inside one are alternatives. */
export interface VulnerabilityFilter {
  states?: readonly State[] | undefined
  severities?: readonly Severity[] | undefined
  reportTypes?: readonly string[] | undefined
  /** External ids. */
  scanners?: readonly string[] | undefined
  isResolvedOnDefaultBranch?: boolean | undefined
  /** Together with states: what is in one of the states, or dismissed for one of these. */
  dismissalReasons?: readonly string[] | undefined
  /** Whole names or external ids, in whatever case. */
  identifiers?: readonly string[] | undefined
  search?: string | undefined
  /** What is there on this ref. */
  ref?: string | undefined
  /** Whether the default branch ever had it; absent: it did, unless a ref is asked for. */
  isOnDefaultBranch?: boolean | undefined
}

/** `undefined` when it does not matter. */
function wantedOnDefaultBranch({ ref, isOnDefaultBranch }: VulnerabilityFilter): boolean | undefined {
  return isOnDefaultBranch ?? (ref === undefined ? true : undefined)
}

export const vulnerabilitySorts = ['severity_desc', 'severity_asc', 'detected_desc', 'detected_asc'] as const
export type VulnerabilitySort = (typeof vulnerabilitySorts)[number]

/** The projects that a list is of. */
export interface ListScope {
  /** Tells this set of projects from others. */
  key: string
  projectIds: readonly number[]
}

/** Of one project; whatever is remembered of its list goes by this key. */
export const projectScope = (projectId: number): ListScope => ({
  key: `project ${projectId}`,
  projectIds: [projectId],
})

/** Whether a list has what is in the cell, as far as cells tell. */
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

/** The words of a search that an index finds; none when all are too short. */
export function searchTerms(search: string): string[] {
  const words = search.slice(0, maxSearchLength).trim().split(/\s+/)
  return words.filter((word) => [...word].length >= shortestTerm).slice(0, maxTerms)
}

const shortestTerm = 3
/** What comes behind narrows nothing down, and makes a search slow. */
const maxSearchLength = 1024
const maxTerms = 64
