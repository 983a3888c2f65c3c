import type { MessagePort } from 'node:worker_threads'
import type { ReportProblem } from '../../../platform/failure.ts'
import type { ReportedDependency } from '../../dependencies/dependency.ts'
import type { ImportedFinding } from '../comparison/imported-finding.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { Outcome, ReadOptions } from './read-report.ts'

/** Input of a worker thread that reads a report. */
export interface ReadingJob {
  options: Omit<ReadOptions, 'isImageKnown'> & { checksImages: boolean }
  /** True if the main thread can provide the stored contents, whose rows it does not need. */
  hasStored: boolean
  /** Port for requests of the worker to the main thread. */
  requests: MessagePort
  /** Port for results, sent with `sendAll`. */
  messages: MessagePort
}

/**
 * A request of the worker. The response is sent on its own port: the bytes of the file, `StoredContents` or undefined, or
 * whether the image is known.
 */
export type ReadingRequest = { answer: MessagePort } & ({ open: true } | { stored: true } | { image: string })

/** Messages of the worker: first the header or the problems, then dependencies if there are any, then batches, finally the outcome. */
export type ReadingMessage =
  | { header: ReportHeader; inventorySource: string | undefined }
  | { dependencies: readonly ReportedDependency[]; isLast: boolean }
  | { problems: ReportProblem[] }
  | { batch: ImportedFinding[] }
  | { unreadable: ReportProblem }
  | { outcome: Outcome }
