import { type Entity, groupEntity, instanceEntity, projectEntity } from '../audit/audit-event.ts'
import type { Deps } from '../deps.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findProjectById } from './projects.ts'

/** Returns the project or group with this id as the owner of an audit event, or the instance when it is gone. */
export async function findEntity(
  { db }: Pick<Deps, 'db'>,
  { kind, id }: { kind: 'project' | 'group'; id: number },
): Promise<Entity> {
  if (kind === 'project') {
    const project = await findProjectById(db, id)
    return project ? projectEntity(project) : instanceEntity
  }
  const group = await findNamespaceById(db, id)
  return group ? groupEntity(group) : instanceEntity
}
