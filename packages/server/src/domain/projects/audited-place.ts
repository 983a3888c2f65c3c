import { changesBetween, type Entity, groupEntity, instanceEntity, projectEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import type { Project } from './project.ts'
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

/** A project, a group, or with neither the instance. */
export interface AuditedPlace {
  project?: Project | undefined
  group?: Namespace | undefined
}

/** Returns the ids of a place, as its rows have them. */
export const placeIds = ({
  project,
  group,
}: AuditedPlace): { projectId: number | null; namespaceId: number | null } => ({
  projectId: project?.id ?? null,
  namespaceId: group?.id ?? null,
})

interface NamedChange<Row> {
  message: string
  /** Type of the row in the event. */
  type: string
  after: Row
  /** Absent when the row was created or deleted. */
  before?: Row | undefined
  /** Names in the event of the fields that can change. */
  fields: Readonly<Partial<Record<keyof Row, string>>>
}

/** Records a change of a row that has a name and belongs to a place. */
export function recordNamedChange<Row extends { id: number; name: string }>(
  deps: Deps,
  event: AuditEventName,
  { project, group }: AuditedPlace,
  { message, type, after, before, fields }: NamedChange<Row>,
): Promise<void> {
  return recordAuditEvent(deps, event, {
    entity: project ? projectEntity(project) : group ? groupEntity(group) : instanceEntity,
    message,
    target: { type, id: after.id, name: after.name },
    ...(before && { changes: changesBetween(before, after, fields) }),
  })
}
