import type { VulnerabilityFilter } from '../vulnerabilities/list/filter.ts'

export const exportFormats = ['csv', 'json', 'sarif'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStatuses = ['created', 'running', 'finished', 'failed'] as const

/** Which vulnerabilities: what narrows the list, and two that only make sense here. */
export interface ExportFilter extends VulnerabilityFilter {
  scannerIds?: readonly number[] | undefined
  projectIds?: readonly number[] | undefined
}

/** What is exported: a project, a group with everything below it, or, with neither, whatever its author may see. */
export interface ExportTarget {
  projectId: number | null
  groupId: number | null
}

/** A file with vulnerabilities that somebody has asked for. */
export interface Export extends ExportTarget {
  id: number
  authorId: number
  /** Whether it was requested with administrator rights. */
  asAdmin: boolean
  /** The projects in the file; null before it is written, and when it has all of the instance. */
  exportedProjectIds: readonly number[] | null
  format: ExportFormat
  filter: ExportFilter
  /** Kept for whoever asks; no letters are sent. */
  sendsEmail: boolean
  status: (typeof exportStatuses)[number]
  filename: string | null
  objectKey: string | null
  bytes: number | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
}
