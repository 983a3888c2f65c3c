import type { UploadOwner } from '../owner.ts'

/** An upload that arrives in parts. */
export interface ResumableUpload {
  id: number
  owner: Pick<UploadOwner, 'kind' | 'id'>
  userId: number
  /** 32 hex characters in its address. */
  uploadKey: string
  filename: string
  totalBytes: number
  receivedBytes: number
  createdAt: string
  /** When it is removed, unless more of it arrives. */
  expiresAt: string
  /** The finished upload. */
  uploadId: number | null
}

/** Stored bytes of a resumable upload. */
export interface UploadPart {
  startByte: number
  bytes: number
  sha256: string
  objectKey: string
}
