import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { TrackerKind } from './tracker.ts'
import type { CreatedLink, IssueState, TrackerIssue } from './tracker-issue.ts'

const columns: Sql = sql`id, vulnerability_id, tracker_id, link_id, marker, state, issue_key, error, attempts, sent_at,
  busy_until, requested_at, synchronized_at`

export async function findTrackerIssue(db: Db, id: number): Promise<TrackerIssue | undefined> {
  return db.one(sql`select ${columns} from tracker_issues where id = ${id}`)
}

export async function listTrackerIssues(db: Db, vulnerabilityIds: readonly number[]): Promise<TrackerIssue[]> {
  return db.all(sql`
    select ${columns} from tracker_issues where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by id`)
}

/** Returns the links to issues that trackers of a kind have created. */
export async function listCreatedLinks(
  db: Db,
  vulnerabilityIds: readonly number[],
  kind: TrackerKind,
): Promise<CreatedLink[]> {
  return db.all(sql`
    select i.vulnerability_id, i.link_id, i.issue_key from tracker_issues i join issue_trackers t on t.id = i.tracker_id
    where i.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and i.link_id is not null and t.kind = ${kind}
    order by i.id`)
}

export interface ClaimDraft {
  vulnerabilityId: number
  trackerId: number
  marker: string
}

/** Inserts the vulnerability's only row of an issue. Returns undefined when another request has. */
export async function insertClaim(db: Db, claim: ClaimDraft, now: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    insert into tracker_issues (vulnerability_id, tracker_id, marker, state, attempts, requested_at)
    values (${claim.vulnerabilityId}, ${claim.trackerId}, ${claim.marker}, 'creating', 0, ${now})
    on conflict (vulnerability_id) do nothing
    returning id`)
  return row?.id
}

/** Requests an issue again that was refused, or whose outcome is unknown. Returns false when another request has. */
export async function reopenClaim(
  db: Db,
  issue: Pick<TrackerIssue, 'id' | 'state'>,
  { trackerId, now }: { trackerId: number; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update tracker_issues set state = 'creating', tracker_id = ${trackerId}, error = null, requested_at = ${now}
    where id = ${issue.id} and state = ${issue.state} and state in ('failed', 'unknown')`)
  return changed === 1
}

/** Begins an attempt, for which other processes wait until `busyUntil`. Returns false when another process is busy. */
export async function beginAttempt(
  db: Db,
  { id, attempts }: Pick<TrackerIssue, 'id' | 'attempts'>,
  { now, busyUntil }: { now: string; busyUntil: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update tracker_issues set attempts = attempts + 1, busy_until = ${busyUntil}
    where id = ${id} and state = 'creating' and attempts = ${attempts} and (busy_until is null or busy_until <= ${now})`)
  return changed === 1
}

/** Records, for every issue that is not created, that a request may have been sent. Returns the number of issues. */
export async function markPossiblySent(db: Db): Promise<number> {
  return db.run(sql`
    update tracker_issues set sent_at = coalesce(sent_at, requested_at), busy_until = null
    where state in ('creating', 'failed')`)
}

export interface AttemptEnd {
  state: TrackerIssue['state']
  sentAt: string | null
  error: string | null
}

/** An attempt in progress. Its number keeps an earlier attempt, which has lost its lease, from changing the row. */
export type Attempt = Pick<TrackerIssue, 'id' | 'attempts'>

const isCurrent = ({ id, attempts }: Attempt): Sql => sql`id = ${id} and state = 'creating' and attempts = ${attempts}`

/** Records that a request is about to be sent. Returns false when the attempt is no longer the current one. */
export async function updateSent(db: Db, attempt: Attempt, now: string): Promise<boolean> {
  return (
    (await db.run(sql`
      update tracker_issues set sent_at = ${now} where ${isCurrent(attempt)}`)) === 1
  )
}

export async function endAttempt(db: Db, attempt: Attempt, { state, sentAt, error }: AttemptEnd): Promise<boolean> {
  const changed = await db.run(sql`
    update tracker_issues set state = ${state}, sent_at = ${sentAt}, error = ${error}, busy_until = null
    where ${isCurrent(attempt)}`)
  return changed === 1
}

/** Records the created issue. Returns false when the attempt is no longer the current one. */
export async function markCreated(
  db: Db,
  attempt: Attempt,
  { linkId, issueKey, now }: { linkId: number; issueKey: string; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update tracker_issues set state = 'created', link_id = ${linkId}, issue_key = ${issueKey}, sent_at = null,
      busy_until = null, error = null, synchronized_at = ${now}
    where ${isCurrent(attempt)}`)
  return changed === 1
}

/** Ends what a job has given up, whichever attempt it was. */
export async function giveUpIssue(db: Db, id: number, error: string): Promise<void> {
  await db.run(sql`
    update tracker_issues set state = case when sent_at is null then 'failed' else 'unknown' end, error = ${error},
      busy_until = null
    where id = ${id} and state = 'creating'`)
}

/** A link to an issue of a tracker, with the issue's last known title and state. */
export interface SynchronizedLink {
  linkId: number
  projectId: number
  issueKey: string
  title: string
  state: IssueState
}

/** Records that the states of these issues were read. */
export async function markSynchronized(db: Db, linkIds: readonly number[], now: string): Promise<void> {
  await db.run(sql`
    update tracker_issues set synchronized_at = ${now} where link_id in ${db.dialect.integers(linkIds)}`)
}

export async function listSynchronizedLinks(
  db: Db,
  trackerId: number,
  keys: readonly string[],
): Promise<SynchronizedLink[]> {
  return db.all(sql`
    select i.link_id, v.project_id, i.issue_key, l.title, l.state
    from tracker_issues i
    join vulnerability_links l on l.id = i.link_id
    join vulnerabilities v on v.id = i.vulnerability_id
    where i.tracker_id = ${trackerId} and i.issue_key in ${db.dialect.texts(keys)} order by i.id`)
}
