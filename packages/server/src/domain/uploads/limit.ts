import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { updateUploadLimits } from '../projects/project-queries.ts'
import { projectAsOwner, type UploadOwner } from './owner.ts'

/** Sets what a project may hold; null takes a limit off. What is stored already stays. */
export async function setUploadLimits(
  deps: Deps,
  project: Project,
  maxUploadBytes: number | null,
  uploadQuotaBytes: number | null,
): Promise<UploadOwner> {
  await updateUploadLimits(deps.db, project.id, maxUploadBytes, uploadQuotaBytes)
  return projectAsOwner({ ...project, maxUploadBytes, uploadQuotaBytes })
}
