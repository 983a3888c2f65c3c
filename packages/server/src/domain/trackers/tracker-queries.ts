import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Tracker, TrackerDraft, TrackerOwner } from './tracker.ts'

const columns: Sql = sql`id, project_id, namespace_id, kind, url, place, token, email, issue_type, labels, title_template,
  description_template, paused_until, polled_at, synchronized_until, sync_error, events_secret, event_at`

const isOf = ({ kind, id }: TrackerOwner): Sql =>
  kind === 'project' ? sql`project_id = ${id}` : sql`namespace_id = ${id}`

export async function findTrackerById(db: Db, id: number): Promise<Tracker | undefined> {
  return db.one(sql`select ${columns} from issue_trackers where id = ${id}`)
}

export async function findTrackerOf(db: Db, owner: TrackerOwner): Promise<Tracker | undefined> {
  return db.one(sql`select ${columns} from issue_trackers where ${isOf(owner)}`)
}

/** Returns the trackers of these namespaces. */
export async function listTrackersOf(db: Db, namespaceIds: readonly number[]): Promise<Tracker[]> {
  return db.all(sql`
    select ${columns} from issue_trackers where namespace_id in ${db.dialect.integers(namespaceIds)} order by id`)
}

/** Returns undefined when the project or group has a tracker. */
export async function insertTracker(
  db: Db,
  owner: TrackerOwner,
  draft: TrackerDraft,
  now: string,
): Promise<Tracker | undefined> {
  return db.one(sql`
    insert into issue_trackers (${owner.kind === 'project' ? sql`project_id` : sql`namespace_id`}, kind, url, place, token,
      email, issue_type, labels, title_template, description_template, created_at, updated_at)
    values (${owner.id}, ${draft.kind}, ${draft.url}, ${draft.place}, ${draft.token}, ${draft.email}, ${draft.issueType},
      ${draft.labels}, ${draft.titleTemplate}, ${draft.descriptionTemplate}, ${now}, ${now})
    on conflict do nothing
    returning ${columns}`)
}

export async function updateTracker(
  db: Db,
  id: number,
  draft: TrackerDraft,
  now: string,
): Promise<Tracker | undefined> {
  return db.one(sql`
    update issue_trackers set token = ${draft.token}, email = ${draft.email}, issue_type = ${draft.issueType},
      labels = ${draft.labels}, title_template = ${draft.titleTemplate},
      description_template = ${draft.descriptionTemplate},
      paused_until = null, sync_error = null, updated_at = ${now}
    where id = ${id} returning ${columns}`)
}

export async function deleteTracker(db: Db, owner: TrackerOwner): Promise<boolean> {
  return (await db.run(sql`delete from issue_trackers where ${isOf(owner)}`)) === 1
}

/** Records a test. Returns false when there was one since this time. */
export async function updateTested(
  db: Db,
  id: number,
  { now, since }: { now: string; since: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update issue_trackers set tested_at = ${now} where id = ${id} and (tested_at is null or tested_at <= ${since})`)
  return changed === 1
}

export async function updatePause(db: Db, id: number, until: string): Promise<void> {
  await db.run(sql`update issue_trackers set paused_until = ${until} where id = ${id}`)
}

/** Sets where synchronisation begins, unless it has begun. */
export async function beginSynchronization(db: Db, id: number, at: string): Promise<void> {
  await db.run(sql`
    update issue_trackers set synchronized_until = ${at} where id = ${id} and synchronized_until is null`)
}

export async function updateSynchronized(
  db: Db,
  id: number,
  { until, error }: { until: string | null; error: string | null },
): Promise<void> {
  await db.run(sql`update issue_trackers set synchronized_until = ${until}, sync_error = ${error} where id = ${id}`)
}

/** Marks the trackers with issues that were not polled since this time as polled, and returns their ids. */
export async function claimPolls(db: Db, { now, since }: { now: string; since: string }): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    update issue_trackers set polled_at = ${now}
    where (polled_at is null or polled_at <= ${since})
      and exists (select 1 from tracker_issues i where i.tracker_id = issue_trackers.id and i.issue_key is not null)
    returning id`)
  return rows.map(({ id }) => id)
}

/** Sets the secret of the tracker's events, or removes it. */
export async function updateEventsSecret(
  db: Db,
  owner: TrackerOwner,
  { secret, now }: { secret: string | null; now: string },
): Promise<Tracker | undefined> {
  return db.one(sql`
    update issue_trackers set events_secret = ${secret}, event_at = null, updated_at = ${now}
    where ${isOf(owner)} returning ${columns}`)
}

/** Records an event, unless one was recorded since this time. */
export async function updateEventAt(db: Db, id: number, { now, since }: { now: string; since: string }): Promise<void> {
  await db.run(sql`
    update issue_trackers set event_at = ${now} where id = ${id} and (event_at is null or event_at <= ${since})`)
}
