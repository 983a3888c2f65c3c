/** The presence of a vulnerability on one ref. */
export interface Occurrence {
  ref: string
  isPresent: boolean
  /** Names of the categories whose newest reports contain it or, if it is absent, last contained it. */
  categories: string[]
  firstSeenAt: string
  lastSeenAt: string
  firstImport: PastImport | null
  lastImport: PastImport | null
}

/** The import that observed a finding, as history and occurrences show it. */
export interface PastImport {
  id: number
  ref: string
  category: string | null
  commitSha: string | null
  format: string
  scanner: string | null
  createdAt: string
}
