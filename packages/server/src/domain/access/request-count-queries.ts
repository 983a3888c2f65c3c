import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export interface RequestCount {
  name: string
  subject: string
  requests: number
  /** When the window ends. */
  endsAt: string
}

/**
 * Adds to the counts of windows and answers what they are then. A window that is over gives way to a newer one; what
 * comes late for an older one is left out. In the order of the keys, so that two processes do not deadlock.
 */
export async function addCounts(db: Db, counts: readonly RequestCount[]): Promise<RequestCount[]> {
  const columns = { name: 'text', subject: 'text', requests: 'integer', endsAt: 'timestamp' } as const
  const rows = await db.all<{ name: string; subject: string; requests: number; ends_at: string }>(sql`
    insert into request_counts (name, subject, requests, ends_at)
    select c.name, c.subject, c.requests, c."endsAt" from ${db.dialect.records(counts, columns)} as c
    where true order by c.name, c.subject
    on conflict (name, subject) do update set
      requests = case when request_counts.ends_at = excluded.ends_at
        then request_counts.requests + excluded.requests else excluded.requests end,
      ends_at = excluded.ends_at
    where request_counts.ends_at <= excluded.ends_at
    returning name, subject, requests, ends_at`)
  return rows.map(({ ends_at, ...row }) => ({ ...row, endsAt: ends_at }))
}

/** One more attempt; a window begins with the first and ends at the given time. Answers how many there are now. */
export async function countAttempt(
  db: Db,
  name: string,
  subject: string,
  now: string,
  endsAt: string,
): Promise<number> {
  const row = await db.one<{ requests: number }>(sql`
    insert into request_counts (name, subject, requests, ends_at) values (${name}, ${subject}, 1, ${endsAt})
    on conflict (name, subject) do update set
      requests = case when request_counts.ends_at <= ${now} then 1 else request_counts.requests + 1 end,
      ends_at = case when request_counts.ends_at <= ${now} then excluded.ends_at else request_counts.ends_at end
    returning requests`)
  return row?.requests ?? 1
}

export async function deleteCount(db: Db, name: string, subject: string): Promise<void> {
  await db.run(sql`delete from request_counts where name = ${name} and subject = ${subject}`)
}

export async function deleteEndedCounts(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from request_counts where ends_at <= ${now}`)
}
