import { forbidden, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { roles } from '../access/roles.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { createProject, type NewProject } from '../projects/projects.ts'
import { groupLevel, isGroupVisible, nowhere } from '../projects/visible.ts'
import { createGroup } from './groups.ts'
import type { Namespace } from './namespace.ts'
import { findNamespaceByPath } from './namespaces.ts'

/** Place of a project that does not exist: the nearest namespace, and the subgroups to create below it. */
interface NewPlace {
  namespace: Namespace
  missingGroups: string[]
  path: string
}

/**
 * Throws unless the caller may create a project at the full path, with the groups that are missing below a group in
 * which they may create subgroups. A group that the caller may not see counts as missing, with the same queries.
 */
export async function assertMayCreateAt(deps: Deps, caller: Caller, fullPath: string): Promise<void> {
  await findPlace(deps, caller, fullPath)
}

/** Creates a project at a full path, with the missing groups, in one transaction. */
export function createProjectAt(
  deps: Deps,
  caller: Caller,
  fullPath: string,
  attributes: Pick<NewProject, 'promotesByDefault'>,
): Promise<Project> {
  return transaction(deps, async (deps) => {
    const { namespace, missingGroups, path } = await findPlace(deps, caller, fullPath)
    let parent = namespace
    for (const group of missingGroups) {
      parent = await createGroup(deps, caller, { name: group, path: group, parentId: parent.id })
    }
    return createProject(deps, caller, { ...attributes, name: path, path, namespaceId: parent.id })
  })
}

async function findPlace(deps: Deps, caller: Caller, fullPath: string): Promise<NewPlace> {
  const segments = fullPath.split('/')
  const path = segments.pop() ?? ''
  // An id names a project that must exist.
  if (segments.length === 0) throw notFound('Project')
  for (let depth = segments.length; depth > 0; depth--) {
    const found = await findNamespaceByPath(deps.db, segments.slice(0, depth).join('/'))
    const level = await groupLevel(deps, found, caller)
    const isSeen = await isGroupVisible(deps, found ?? nowhere, { caller, callerLevel: level })
    const isUsable = found?.kind === 'user' ? found.ownerId === caller.user.id || caller.isAdmin : isSeen
    if (!found || !isUsable) continue
    const missingGroups = segments.slice(depth)
    assertMayCreateIn(found, level, missingGroups)
    return { namespace: found, missingGroups, path }
  }
  throw missingGroup(segments.slice(0, 1))
}

function assertMayCreateIn(namespace: Namespace, level: number, missingGroups: readonly string[]): void {
  const [first] = missingGroups
  const mayCreateGroups = namespace.kind === 'group' && level >= roles.maintainer
  if (first !== undefined && !mayCreateGroups) throw missingGroup([namespace.fullPath, first])
  if (namespace.kind === 'group' && level < roles.developer) {
    throw forbidden(`You may not create projects in the group ${namespace.fullPath} (role Developer)`)
  }
}

const missingGroup = (path: readonly string[]) => notFound(`Group ${path.join('/')}`)
