import { hash } from 'node:crypto'
import type { AuditEvent } from './audit-event.ts'

/** Returns the hash of an event, which depends on all events before it. */
export function linkHash(previous: string, event: AuditEvent): string {
  const { id, name, authorId, entityType, entityId, details, createdAt } = event
  return hash('sha256', JSON.stringify([previous, id, name, authorId, entityType, entityId, createdAt, details]))
}
