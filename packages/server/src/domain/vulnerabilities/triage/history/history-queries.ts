import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { NewAuditEvent } from '../../../audit/record.ts'
import { maxCountedRows, type PageRequest } from '../../../page.ts'
import { stateIn } from '../../../users/user-state-sql.ts'
import type { HistoryEntry, HistoryKind, ObservationOrigin, PastEntry } from './history-entry.ts'

const columns = {
  vulnerabilityId: 'integer',
  kind: 'text',
  userId: 'integer',
  importId: 'integer',
  bulkId: 'integer',
  ref: 'text',
  from: 'text',
  to: 'text',
  comment: 'text',
  dismissalReason: 'text',
  details: 'json',
} as const

export async function insertHistory(db: Db, entries: readonly HistoryEntry[], now: string): Promise<void> {
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, import_id, bulk_id, ref, from_value, to_value,
      comment, dismissal_reason, details, created_at, updated_at)
    select r.vulnerability_id, r.kind, r.user_id, r.import_id, r.bulk_id, r.ref, r."from", r."to",
      r.comment, r.dismissal_reason, r.details, ${now}, ${now}
    from ${db.dialect.records(entries, columns)} as r`)
}

/** Inserts an entry and its audit event in one statement, through a view. */
export async function insertAuditedEntry(
  db: Db,
  entry: HistoryEntry,
  { name, entityId, details, createdAt }: NewAuditEvent,
): Promise<void> {
  await db.run(sql`
    insert into audited_history (vulnerability_id, kind, user_id, from_value, to_value, comment, dismissal_reason,
      created_at, event_name, project_id, event_details)
    values (${entry.vulnerabilityId}, ${entry.kind}, ${entry.userId}, ${entry.from}, ${entry.to}, ${entry.comment},
      ${entry.dismissalReason}, ${createdAt}, ${name}, ${entityId}, ${details})`)
}

export async function insertObservations(
  db: Db,
  kind: HistoryKind,
  findingIds: readonly number[],
  { importId, userId, ref, now, comment }: ObservationOrigin,
): Promise<void> {
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, import_id, ref, comment, created_at, updated_at)
    select f.vulnerability_id, ${kind}, ${userId}, ${importId}, ${ref}, ${comment ?? null}, ${now}, ${now}
    from findings f
    where f.id in ${db.dialect.integers(findingIds)} and f.vulnerability_id is not null order by f.id`)
}

/** Inserts the entries `created`, with ref and import of the first observation. */
export async function insertCreated(
  db: Db,
  vulnerabilityIds: readonly number[],
  userId: number | null,
  now: string,
): Promise<void> {
  // `+` keeps PostgreSQL from scanning all occurrences in id order to find the minimum.
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, import_id, ref, created_at, updated_at)
    select f.vulnerability_id, 'created', ${userId}, o.first_import_id, o.ref, ${now}, ${now}
    from findings f
    left join occurrences o on o.id = (select min(+first.id) from occurrences first where first.finding_id = f.id)
    where f.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} order by f.vulnerability_id`)
}

const pastColumns: Sql = sql`h.id, h.vulnerability_id, h.kind, h.user_id, h.import_id, h.bulk_id, h.ref, h.from_value as "from",
  h.to_value as "to", h.comment, h.dismissal_reason, h.details, h.created_at, h.updated_at,
  u.id as "author.id", u.username as "author.username", u.name as "author.name", ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename",
  i.id as "import.id", i.ref as "import.ref", i.category as "import.category", i.commit_sha as "import.commit_sha",
  i.format as "import.format", i.scanner_name as "import.scanner", i.created_at as "import.created_at"`

/** Selects history entries of one vulnerability. */
export interface HistoryFilter {
  vulnerabilityId: number
  kinds: readonly HistoryKind[]
}

/** Returns one entry more than the page holds. */
export async function listHistory(
  db: Db,
  { vulnerabilityId, kinds }: HistoryFilter,
  sort: 'asc' | 'desc',
  { perPage, offset }: PageRequest,
): Promise<PastEntry[]> {
  const direction = sort === 'asc' ? sql`asc` : sql`desc`
  return db.all(sql`
    select ${pastColumns} from vulnerability_history h
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where h.vulnerability_id = ${vulnerabilityId} and h.kind in ${db.dialect.texts(kinds)}
    order by h.id ${direction} limit ${perPage + 1} offset ${offset}`)
}

/** Returns the newest state changes of each vulnerability, oldest first. */
export async function listTransitions(
  db: Db,
  vulnerabilityIds: readonly number[],
  maxPerVulnerability: number,
): Promise<PastEntry[]> {
  return db.all(sql`
    select ${pastColumns} from (
      select id as ranked_id, row_number() over (partition by vulnerability_id order by id desc) as place
      from vulnerability_history
      where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and kind = 'state'
    ) as ranked join vulnerability_history h on h.id = ranked.ranked_id
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where ranked.place <= ${maxPerVulnerability} order by h.id`)
}

/** Returns the newest entries of each vulnerability, with the lengths of their texts. */
export async function listEntrySizes(
  db: Db,
  { vulnerabilityIds, kinds }: { vulnerabilityIds: readonly number[]; kinds: readonly HistoryKind[] },
  maxPerVulnerability: number,
): Promise<{ id: number; size: number }[]> {
  return db.all(sql`
    select id, size from (
      select id, coalesce(length(comment), 0) as size,
        row_number() over (partition by vulnerability_id order by id desc) as place
      from vulnerability_history
      where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and kind in ${db.dialect.texts(kinds)}
    ) as ranked where place <= ${maxPerVulnerability} order by id`)
}

/** Returns entries by their ids, oldest first. */
export async function listEntries(db: Db, ids: readonly number[]): Promise<PastEntry[]> {
  return db.all(sql`
    select ${pastColumns} from vulnerability_history h
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where h.id in ${db.dialect.integers(ids)} order by h.id`)
}

/** Returns the number of comments by users on each vulnerability that has one. */
export async function listCommentCounts(
  db: Db,
  vulnerabilityIds: readonly number[],
): Promise<{ vulnerabilityId: number; total: number }[]> {
  return db.all(sql`
    select vulnerability_id, count(*) as total from vulnerability_history
    where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and kind = 'note' group by vulnerability_id`)
}

export async function countHistory(db: Db, { vulnerabilityId, kinds }: HistoryFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from vulnerability_history
      where vulnerability_id = ${vulnerabilityId} and kind in ${db.dialect.texts(kinds)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

export async function findHistoryEntry(
  db: Db,
  { vulnerabilityId, kinds }: HistoryFilter,
  id: number,
): Promise<PastEntry | undefined> {
  return db.one(sql`
    select ${pastColumns} from vulnerability_history h
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where h.id = ${id} and h.vulnerability_id = ${vulnerabilityId} and h.kind in ${db.dialect.texts(kinds)}`)
}

export async function insertNote(
  db: Db,
  note: { vulnerabilityId: number; userId: number; body: string; now: string },
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, comment, created_at, updated_at)
    values (${note.vulnerabilityId}, 'note', ${note.userId}, ${note.body}, ${note.now}, ${note.now})
    returning id`)
  if (!row) throw new Error('an inserted note returned no id')
  return row.id
}

/** Returns false if the note has been deleted meanwhile. */
export async function updateNote(db: Db, id: number, body: string, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update vulnerability_history set comment = ${body}, updated_at = ${now} where id = ${id} and kind = 'note'`)
  return changed === 1
}

export async function deleteNote(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`delete from vulnerability_history where id = ${id} and kind = 'note'`)) === 1
}
