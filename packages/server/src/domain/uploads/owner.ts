import type { Namespace } from '../namespaces/namespace.ts'
import type { Project } from '../projects/project.ts'

/** Project or group that owns uploads. Both have the same routes, rules and links. */
export interface UploadOwner {
  kind: 'project' | 'group'
  id: number
  /** Maximum file size, if lower than the server's limit. */
  maxUploadBytes: number | null
  quotaBytes: number | null
}

export function projectAsOwner({ id, maxUploadBytes, uploadQuotaBytes }: Project): UploadOwner {
  return { kind: 'project', id, maxUploadBytes, quotaBytes: uploadQuotaBytes }
}

export function groupAsOwner({ id }: Namespace): UploadOwner {
  return { kind: 'group', id, maxUploadBytes: null, quotaBytes: null }
}
