import type { PastImport } from './triage/history-entry.ts'

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
