import type { MessagePort } from 'node:worker_threads'
import type { Dialect } from '../../../db/db.ts'
import type { ReportProblem } from '../../../platform/failure.ts'
import type { ImportedFinding } from '../comparison/imported-finding.ts'
import type { ReportHeader } from '../formats/report-format.ts'
import type { Outcome, ReadOptions } from './read-report.ts'

/** What a thread is given to read a report. */
export interface ReadingJob {
  options: Omit<ReadOptions, 'isImageKnown'> & { asksForImages: boolean }
  /** Rows are written for this one. */
  engine: Dialect['engine']
  /** Here it asks. */
  questions: MessagePort
  /** Here it tells, with `sendAll`. */
  news: MessagePort
}

/** Answered on the port that comes along: with all bytes of the file, or with whether the image is known. */
export type Question = { answer: MessagePort } & ({ open: true } | { image: string })

/** First what the report is, or why it is none; then what it has; at the end all there is to say. */
export type News =
  | { header: ReportHeader }
  | { problems: ReportProblem[] }
  | { batch: ImportedFinding[] }
  | { unreadable: ReportProblem }
  | { outcome: Outcome }
