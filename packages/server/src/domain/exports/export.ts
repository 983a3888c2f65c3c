import type { VulnerabilityFilter } from '../vulnerabilities/list/filter.ts'

export const exportFormats = ['csv', 'json', 'sarif', 'openvex', 'cyclonedx', 'csaf', 'html'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportStatuses = ['created', 'running', 'finished', 'failed'] as const

/** Filter of an export: that of the list, and two conditions that only exports have. */
export interface ExportFilter extends VulnerabilityFilter {
  scannerIds?: readonly number[] | undefined
  projectIds?: readonly number[] | undefined
  /** Start of the period whose changes a report has; by default the author’s previous report of the target. */
  changesSince?: string | undefined
}

/** Target of an export: a project, a group with everything below it, or everything that its author can see. */
export interface ExportTarget {
  projectId: number | null
  groupId: number | null
}

/** Requested file with vulnerabilities. */
export interface Export extends ExportTarget {
  id: number
  authorId: number
  /** Whether the request had administrator rights. */
  asAdmin: boolean
  /** Projects in the file; null until it is written, and for an export of the whole instance. */
  exportedProjectIds: readonly number[] | null
  format: ExportFormat
  filter: ExportFilter
  /** Stored for compatibility. Only scheduled reports are sent. */
  sendsEmail: boolean
  /** The schedule that requested it. */
  scheduleId: number | null
  status: (typeof exportStatuses)[number]
  /** Reason of a failure. */
  error: string | null
  /**
   * Number of findings of its projects that await promotion, and are not in the file; 10,001 stands for all higher numbers.
   * Null until the file is written, and for exports of earlier versions.
   */
  waitingFindings: number | null
  filename: string | null
  objectKey: string | null
  bytes: number | null
  /** Null until the export is finished, and for exports of earlier versions. */
  sha256: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  expiresAt: string | null
}
