import type { MemberPlace } from '../../../domain/members/members.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'

/** Returns the project or group that the guard has resolved. */
export function placeOf(found: { input: object; project?: Project; group?: Namespace }): MemberPlace {
  if (found.project) return { project: found.project }
  if (found.group) return { group: found.group }
  throw new Error('a route of projects and groups was reached without either')
}
