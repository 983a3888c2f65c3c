import type { Author } from '../actor.ts'

/** Stored event of the audit log. */
export interface AuditEvent {
  id: number
  name: string
  /** Null for anonymous requests and for the system. */
  authorId: number | null
  entityType: EntityType
  entityId: number
  details: Details
  createdAt: string
}

/** Event with its place in the hash chain. */
export interface SealedEvent extends AuditEvent {
  position: number
  hash: string
}

export const entityTypes = ['User', 'Project', 'Group', 'Gitlab::Audit::InstanceScope'] as const
export type EntityType = (typeof entityTypes)[number]

/** Description of an event, with GitLab's names. Values of secrets are never part of it. */
export type Details = Readonly<Record<string, unknown>>

/** What an event belongs to: its owners or administrators may read it. */
export interface Entity {
  type: EntityType
  id: number
  path: string
}

export const projectEntity = ({ id, fullPath }: { id: number; fullPath: string }): Entity => ({
  type: 'Project',
  id,
  path: fullPath,
})

export const groupEntity = ({ id, fullPath }: { id: number; fullPath: string }): Entity => ({
  type: 'Group',
  id,
  path: fullPath,
})

export const userEntity = ({ id, username }: { id: number; username: string }): Entity => ({
  type: 'User',
  id,
  path: username,
})

export const instanceEntity: Entity = { type: 'Gitlab::Audit::InstanceScope', id: 1, path: 'gitlab_instance' }

/** Changed values by attribute. */
export type AuditedChanges = Readonly<Record<string, { from: unknown; to: unknown }>>

/** Event before it is stored. */
export interface AuditEventDraft {
  entity: Entity
  /** Sentence without subject, such as `Removed the hook`. Must not contain secrets. */
  message: string
  /** What was acted on, if it is not the entity itself. */
  target?: { type: string; id: number | string; name: string }
  changes?: AuditedChanges
  /** Further fields, with names in snake_case. */
  extra?: Details
  /** Author in place of the sender of the request; null for an unknown client. */
  author?: Author | 'system' | null
}

/** Returns the changed values of those attributes that differ, by their names on the wire. */
export function changesBetween<T extends object>(
  before: T,
  after: T,
  attributes: Readonly<Partial<Record<keyof T, string>>>,
): AuditedChanges {
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  for (const [key, name] of Object.entries(attributes) as [keyof T, string][]) {
    const [from, to] = [before[key], after[key]]
    if (JSON.stringify(from) !== JSON.stringify(to)) changes[name] = { from, to }
  }
  return changes
}
