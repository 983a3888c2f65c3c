/** An upload that a search found, with the project or group that has it. */
export interface FoundUpload {
  id: number
  filename: string
  contentType: string
  bytes: number
  createdAt: string
  owner: { kind: 'project' | 'group'; id: number; name: string; fullPath: string }
}
