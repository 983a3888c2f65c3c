import { notFound } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findProjectById } from '../projects/projects.ts'
import { type AnnouncedProject, type DescribedPlace, describePlace, describeProject } from './describe-place.ts'
import type { HookOwner } from './hook.ts'
import { sampleId } from './sample-user.ts'

/** Returns the project of a sample event: that of the webhook, or an invented one in its group or in the instance. */
export async function findSampleProject({ db }: Deps, owner: HookOwner): Promise<AnnouncedProject> {
  if (owner.kind === 'project') {
    const project = await findProjectById(db, owner.id)
    if (!project) throw notFound('Project')
    return project
  }
  const group = owner.kind === 'group' ? await findNamespaceById(db, owner.id) : undefined
  return {
    id: sampleId,
    name: 'Sample project',
    path: 'sample-project',
    fullPath: `${group?.fullPath ?? 'sample-group'}/sample-project`,
    description: null,
    visibility: 'private',
    defaultBranch: 'main',
    avatarFilename: null,
    namespace: { name: group?.name ?? 'Sample group' },
  }
}

/** Returns the project or group of a sample event in the shape of a real one. */
export async function describeSamplePlace(deps: Deps, owner: HookOwner): Promise<DescribedPlace> {
  if (owner.kind !== 'group') return { project: describeProject(deps, await findSampleProject(deps, owner)) }
  const place = await describePlace(deps, owner)
  if (!place) throw notFound('Group')
  return place
}
