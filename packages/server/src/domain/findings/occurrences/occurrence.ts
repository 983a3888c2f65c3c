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

/** The import that observes findings, and the ref on which it does. */
export interface Observation {
  projectId: number
  ref: string
  importId: number
  /** Category of the report, if it has one. */
  categoryId: number | undefined
  now: string
}

/** A scan by one scanner of one type. Its findings stay present on a ref until a complete scan does not report them. */
export interface Scan {
  scannerId: number
  reportType: string
  /** False when findings that the scan did not report keep their state. */
  isComplete: boolean
}
