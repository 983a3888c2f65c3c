import type { Category, CategoryIds } from './occurrences/categories.ts'

/** A stored finding that has, or was matched under, a uuid of the report. */
export interface KnownFinding {
  id: number
  /** The requested uuid: the finding's own, or one that it was matched under. */
  uuid: string
  isOwnUuid: boolean
  digest: string
  vulnerabilityId: number | null
  /** Whether the finding was present on the ref; `undefined` if it was never observed there. */
  wasPresent: boolean | undefined
  /** Categories of the finding, if it is present on the ref. */
  categories: CategoryIds
  /** False for a finding without occurrences, left behind by an import that did not finish. It is invisible. */
  wasSeen: boolean
  wasOnDefaultBranch: boolean
}

/** A known finding that a reported one may match. */
export interface Candidate {
  id: number
  uuid: string
  digest: string
  vulnerabilityId: number | null
  wasPresent: boolean | undefined
  /** Categories of the finding on the ref and on the default branch, where it is present. */
  categories: CategoryIds
  /** Artifact of the last report without a category that contained the finding; null unless the scope has an artifact. */
  artifact: string | null
  wasOnDefaultBranch: boolean
  reportType: string
  scannerId: number
  line: number
}

/** Where known findings of a report are looked for. */
export interface KnownScope {
  projectId: number
  ref: string
  defaultBranch: string
  /** Category of the report, if it has one. */
  category: Category | undefined
}

/** Where candidates of a report are looked for. */
export interface CandidateScope extends KnownScope {
  artifact: string | undefined
}
