import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { HistoryEntry } from '../triage/history/history-entry.ts'

/** A history entry with the time at which it was made in another product. */
export type PastDraft = Pick<HistoryEntry, 'vulnerabilityId' | 'kind' | 'from' | 'to' | 'comment' | 'details'> &
  Pick<HistoryEntry, 'dismissalReason'> & { userId: number | null; createdAt: string }

const columns = {
  vulnerabilityId: 'integer',
  kind: 'text',
  userId: 'integer',
  from: 'text',
  to: 'text',
  comment: 'text',
  dismissalReason: 'text',
  details: 'json',
  createdAt: 'timestamp',
} as const

export async function insertPastEntries(db: Db, entries: readonly PastDraft[]): Promise<void> {
  if (entries.length === 0) return
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, from_value, to_value, comment, dismissal_reason,
      details, created_at, updated_at)
    select r.vulnerability_id, r.kind, r.user_id, r."from", r."to", r.comment, r.dismissal_reason, r.details,
      r.created_at, r.created_at
    from ${db.dialect.records(entries, columns)} as r`)
}

/** Sets since when a vulnerability is known, and its author unless it is null. */
export async function backdateVulnerabilities(
  db: Db,
  dates: readonly { id: number; createdAt: string; authorId: number | null }[],
): Promise<void> {
  await db.run(sql`
    update vulnerabilities set created_at = r.created_at, author_id = coalesce(r.author_id, vulnerabilities.author_id)
    from ${db.dialect.records(dates, { id: 'integer', createdAt: 'timestamp', authorId: 'integer' })} as r
    where vulnerabilities.id = r.id`)
}
