/** A link with which anyone can download one upload until it expires. */
export interface UploadLink {
  id: number
  uploadId: number
  /** What the link is for, as its creator describes it; may be empty. */
  name: string
  createdAt: string
  createdBy: { id: number; username: string; name: string } | null
  expiresAt: string
  /** Number of downloads. */
  uses: number
  lastUsedAt: string | null
}
