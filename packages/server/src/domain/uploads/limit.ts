import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { updateUploadLimits } from '../projects/project-queries.ts'
import { projectAsOwner, type UploadOwner } from './owner.ts'

/** Sets the upload limits of a project. Null removes a limit. Existing uploads are kept. */
export async function setUploadLimits(
  deps: Deps,
  project: Project,
  maxUploadBytes: number | null,
  uploadQuotaBytes: number | null,
): Promise<UploadOwner> {
  await updateUploadLimits(deps.db, project.id, maxUploadBytes, uploadQuotaBytes)
  return projectAsOwner({ ...project, maxUploadBytes, uploadQuotaBytes })
}
