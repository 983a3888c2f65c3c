import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Deps } from '../deps.ts'
import { avatarUrl } from '../files/avatar-url.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import type { Project } from '../projects/project.ts'
import { findProjectById } from '../projects/projects.ts'

/** Project or group in the body of an event, as GitLab describes it. */
export type DescribedPlace =
  | { project: ReturnType<typeof describeProject> }
  | { group: ReturnType<typeof describeGroup> }

export async function describePlace(
  deps: Deps,
  { kind, id }: { kind: 'project' | 'group'; id: number },
): Promise<DescribedPlace | undefined> {
  if (kind === 'project') {
    const project = await findProjectById(deps.db, id)
    return project && { project: describeProject(deps, project) }
  }
  const group = await findNamespaceById(deps.db, id)
  return group && { group: describeGroup(group) }
}

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const

/** Fields of a project that events contain. */
export type AnnouncedProject = Pick<
  Project,
  'id' | 'name' | 'path' | 'fullPath' | 'description' | 'visibility' | 'defaultBranch' | 'avatarFilename'
> & { namespace: Pick<Project['namespace'], 'name'> }

export function describeProject({ settings }: Pick<Deps, 'settings'>, project: AnnouncedProject) {
  const url = `${instanceUrl(settings)}/${project.fullPath}`
  return {
    id: project.id,
    name: project.name,
    description: project.description,
    web_url: url,
    avatar_url: avatarUrl('project', project, instanceUrl(settings)),
    namespace: project.namespace.name,
    visibility_level: visibilityLevels[project.visibility],
    path_with_namespace: project.fullPath,
    default_branch: project.defaultBranch,
    homepage: url,
    url,
  }
}

function describeGroup({ id, name, path, fullPath }: Namespace) {
  return { group_name: name, group_path: path, full_path: fullPath, group_id: id }
}
