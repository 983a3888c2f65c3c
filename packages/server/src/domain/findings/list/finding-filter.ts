import type { Severity, State } from '../scales.ts'

/** Findings that are present on a ref of a project. */
export interface FindingScope {
  projectId: number
  ref: string
}

/** Filter of a list of findings. Absent fields match everything; the values of a field are alternatives. */
export interface FindingFilter extends FindingScope {
  severities: readonly Severity[] | undefined
  reportTypes: readonly string[] | undefined
  /** External ids of scanners. */
  scanners: readonly string[] | undefined
  states: readonly State[] | undefined
  identifiers: readonly string[] | undefined
  packages: readonly string[] | undefined
  search: string | undefined
  /** Only findings that are not present on this ref. */
  notOnRef: string | undefined
  /** Only findings that are present on this ref, too. */
  alsoOnRef?: string | undefined
  /** What the default branch has or had of the finding. */
  defaultBranch?: {
    ref: string
    /** Whether the finding was ever present there. */
    wasPresent: boolean | undefined
    /** Whether the finding was present there and is no longer. */
    isResolved: boolean | undefined
  }
  /** Only findings that a complete scan of this ref covers. */
  scannedOnRef: string | undefined
  /** Only findings that this import observed. */
  importId: number | undefined
  /** False: only findings without a vulnerability. */
  isPromoted: boolean | undefined
}
