import { roles } from '../../../domain/access/roles.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { groupAsOwner, projectAsOwner, type UploadOwner } from '../../../domain/uploads/owner.ts'

/** Every permission used here is on a project or a group, so the guard has resolved one of them. */
export function ownerOf({ project, group }: { project?: Project; group?: Namespace }): UploadOwner {
  if (project) return projectAsOwner(project)
  if (group) return groupAsOwner(group)
  throw new Error('an upload route was reached without a project or group')
}

export const isMember = ({ level }: { level: number }): boolean => level >= roles.guest
