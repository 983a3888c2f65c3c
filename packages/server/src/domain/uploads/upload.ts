import type { UploadOwner } from './owner.ts'

/** A file that Markdown of a project or group refers to. */
export interface Upload {
  id: number
  owner: Pick<UploadOwner, 'kind' | 'id'>
  /** 32 lower-case hex characters, one per upload; whoever may read the owner and knows it may fetch the file. */
  secret: string
  /** Sanitised. */
  filename: string
  /** By its name; for people and for the web, never for deciding what a file is. */
  contentType: string
  bytes: number
  sha256: string
  objectKey: string
  createdAt: string
  /** Null when he was not recorded or is gone. */
  uploadedBy: { id: number; username: string; name: string } | null
  /** From then on it is hidden; its bytes go after the grace period. */
  deletedAt: string | null
}
