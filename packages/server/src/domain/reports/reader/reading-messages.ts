import type { MessagePort } from 'node:worker_threads'
import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ImportedEntry } from '../comparison/imported-finding.ts'
import type { StoredContents } from '../comparison/stored-contents.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { PackedEntries } from './cached-entries.ts'
import type { Outcome } from './read-entries.ts'
import type { ReadOptions } from './read-report.ts'

/** Input of a worker thread that reads a report. */
export interface ReadingJob {
  options: Omit<ReadOptions, 'isImageKnown'> & { checksImages: boolean }
  /** True if the main thread can provide the stored contents, whose rows it does not need. */
  hasStored: boolean
  /** True if entries are cached. */
  cachesEntries: boolean
  /** Port for requests of the worker to the main thread. */
  requests: MessagePort
  /** Port for results, sent with `sendAll`. */
  messages: MessagePort
}

/** A request of the worker. The response is sent on its own port: the bytes of the file, `Known`, or whether the image is known. */
export type ReadingRequest = { answer: MessagePort } & (
  | { open: true }
  | { known: { entryContext: string | undefined } }
  | { image: string }
)

/** What is known from earlier reports. */
export interface Known {
  stored: StoredContents | undefined
  cachedEntries: PackedEntries | undefined
}

/** Messages of the worker: first the header or the problems, then dependencies if there are any, then batches, finally the outcome. */
export type ReadingMessage =
  | { header: ReportHeader; inventorySource: string | undefined; entryContext: string | undefined }
  | { dependencies: readonly ReportedDependency[]; isLast: boolean }
  | { problems: ReportProblem[] }
  | { batch: ImportedEntry[] }
  | { unreadable: ReportProblem }
  | { outcome: Outcome; cachedEntries: PackedEntries | undefined }
