import sql from 'sql-template-tag'
import type { AuditEvent } from '../domain/audit/audit-event.ts'
import type { TestServer } from './server.ts'

/** Returns the newest audit events first. */
export function newestEvents({ deps }: Pick<TestServer, 'deps'>, limit = 10): Promise<AuditEvent[]> {
  return deps.db.all(sql`
    select id, name, author_id, entity_type, entity_id, details, created_at from audit_events order by id desc limit ${limit}`)
}

export async function countEvents({ deps }: Pick<TestServer, 'deps'>): Promise<number> {
  const row = await deps.db.one<{ total: number }>(sql`select count(*) as total from audit_events`)
  return row?.total ?? 0
}
