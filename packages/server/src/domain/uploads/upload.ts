import type { UploadOwner } from './owner.ts'
import type { UploadScan } from './scans/upload-scan.ts'

/** File that Markdown of a project or group refers to. */
export interface Upload {
  id: number
  owner: Pick<UploadOwner, 'kind' | 'id'>
  /** 32 lower-case hex characters. Callers who know it and can read the owner may fetch the file. */
  secret: string
  /** Sanitised filename. */
  filename: string
  /** Media type by the filename's extension. It is informative and never used to decide what a file contains. */
  contentType: string
  bytes: number
  sha256: string
  objectKey: string
  createdAt: string
  /** Null when the user was not recorded or was deleted. */
  uploadedBy: { id: number; username: string; name: string } | null
  /** Time of deletion, from which the upload is hidden. Its bytes are deleted after the grace period. */
  deletedAt: string | null
  scan: UploadScan
}
