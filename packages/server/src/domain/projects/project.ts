import type { Visibility } from '../access/roles.ts'
import type { Namespace } from '../namespaces/namespace.ts'

export const reportRoles = ['developer', 'maintainer'] as const
type ReportRole = (typeof reportRoles)[number]

export const exposures = ['internet', 'internal', 'none', 'unknown'] as const
export type Exposure = (typeof exposures)[number]

export interface Project {
  id: number
  organizationId: number
  namespace: Namespace
  creatorId: number | null
  name: string
  path: string
  fullPath: string
  description: string | null
  visibility: Visibility
  defaultBranch: string
  isArchived: boolean
  starCount: number
  enforceAuthChecksOnUploads: boolean
  promoteOnIngestion: boolean
  /** A report that would make a larger share of a scanner's findings absent is held. Null: none is. */
  maxAbsentPercent: number | null
  /** Minimum role that may report for the default branch, besides tokens that were issued to send reports. */
  defaultBranchReportRole: ReportRole
  /** Applies files of reports, such as CODEOWNERS, also when their sender may not triage vulnerabilities. */
  acceptReportersFiles: boolean
  /** Days without a report after which a branch closes. Null applies the server's setting; 0 keeps branches open. */
  refRetentionDays: number | null
  /** Names of branches and tags that never close; `*` stands for any characters. */
  protectedRefs: readonly string[]
  /**
   * Resolves vulnerabilities that their scanner no longer reports on the default branch, instead of only marking them.
   */
  autoResolve: boolean
  /** From where attackers reach what the project builds. Part of the priority of its vulnerabilities. */
  exposure: Exposure
  /** Null applies the server's limit. */
  maxUploadBytes: number | null
  /** Null sets no quota. */
  uploadQuotaBytes: number | null
  avatarFilename: string | null
  createdAt: string
  updatedAt: string
  lastActivityAt: string
}

export interface ProjectOrder {
  by: 'id' | 'name' | 'path' | 'updated_at' | 'last_activity_at' | 'star_count' | 'similarity'
  direction: 'asc' | 'desc'
}
