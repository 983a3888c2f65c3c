import type { Namespace, Project } from '../projects/project.ts'

/** Whose an upload is: both have the same routes, rules and links. */
export interface UploadOwner {
  kind: 'project' | 'group'
  id: number
  /** What this owner allows, where it is less than what the server does. */
  maxUploadBytes: number | null
  quotaBytes: number | null
}

export function projectAsOwner({ id, maxUploadBytes, uploadQuotaBytes }: Project): UploadOwner {
  return { kind: 'project', id, maxUploadBytes, quotaBytes: uploadQuotaBytes }
}

export function groupAsOwner({ id }: Namespace): UploadOwner {
  return { kind: 'group', id, maxUploadBytes: null, quotaBytes: null }
}
