import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export interface RequestCount {
  name: string
  subject: string
  requests: number
  /** End of the window. */
  endsAt: string
}

/**
 * Adds to the counts of several windows and returns the new totals. A later window replaces an earlier one, and counts
 * for an earlier window are dropped. Rows are written in key order, so that two processes cannot deadlock.
 */
export async function addCounts(db: Db, counts: readonly RequestCount[]): Promise<RequestCount[]> {
  const columns = { name: 'text', subject: 'text', requests: 'integer', endsAt: 'timestamp' } as const
  return db.all(sql`
    insert into request_counts (name, subject, requests, ends_at)
    select c.name, c.subject, c.requests, c.ends_at from ${db.dialect.records(counts, columns)} as c
    where true order by c.name, c.subject
    on conflict (name, subject) do update set
      requests = case when request_counts.ends_at = excluded.ends_at
        then request_counts.requests + excluded.requests else excluded.requests end,
      ends_at = excluded.ends_at
    where request_counts.ends_at <= excluded.ends_at
    returning name, subject, requests, ends_at`)
}

/**
 * Counts one attempt and returns the number in this window. The first attempt starts a window, which ends at `endsAt`.
 */
export async function countAttempt(
  db: Db,
  { name, subject, now, endsAt }: { name: string; subject: string; now: string; endsAt: string },
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
