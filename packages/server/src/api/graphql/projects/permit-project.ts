import type { Permission } from '../../../domain/access/permissions.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { Failure } from '../../../platform/failure.ts'
import type { Context } from '../context.ts'

/** Returns a project if the caller has a permission in it, also by a former path. */
export async function permitProject(context: Context, permission: Permission, reference: string): Promise<Project> {
  try {
    const { resources } = await context.permit(permission, reference)
    return resources['project'] as Project // rows of projects provide one
  } catch (error) {
    if (!(error instanceof Failure) || error.cause.kind !== 'moved') throw error
    return permitProject(context, permission, String(error.cause.id))
  }
}
