import type { PastImport } from './triage/history-entry.ts'

/** A vulnerability on one ref. */
export interface Occurrence {
  ref: string
  isPresent: boolean
  /** Names of those whose newest reports have it; when it is gone, of those that had it last. */
  categories: string[]
  firstSeenAt: string
  lastSeenAt: string
  firstImport: PastImport | null
  lastImport: PastImport | null
}
