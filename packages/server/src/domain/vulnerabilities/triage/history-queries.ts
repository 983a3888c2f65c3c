import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import type { User } from '../../users/user.ts'
import { selectState } from '../../users/user-state-sql.ts'
import type { HistoryEntry, HistoryKind, ObservationOrigin, PastEntry } from './history-entry.ts'

const columns = {
  vulnerability_id: 'integer',
  kind: 'text',
  user_id: 'integer',
  import_id: 'integer',
  bulk_id: 'integer',
  ref: 'text',
  from_value: 'text',
  to_value: 'text',
  comment: 'text',
  dismissal_reason: 'text',
  details: 'json',
} as const

export async function insertHistory(db: Db, entries: readonly HistoryEntry[], now: string): Promise<void> {
  const rows = entries.map((entry) => ({
    vulnerability_id: entry.vulnerabilityId,
    kind: entry.kind,
    user_id: entry.userId,
    import_id: entry.importId,
    bulk_id: entry.bulkId,
    ref: entry.ref,
    from_value: entry.from,
    to_value: entry.to,
    comment: entry.comment,
    dismissal_reason: entry.dismissalReason,
    details: entry.details,
  }))
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, import_id, bulk_id, ref, from_value, to_value,
      comment, dismissal_reason, details, created_at, updated_at)
    select r.vulnerability_id, r.kind, r.user_id, r.import_id, r.bulk_id, r.ref, r.from_value, r.to_value,
      r.comment, r.dismissal_reason, r.details, ${now}, ${now}
    from ${db.dialect.records(rows, columns)} as r`)
}

export async function insertObservations(
  db: Db,
  kind: HistoryKind,
  findingIds: readonly number[],
  { importId, userId, ref, now }: ObservationOrigin,
): Promise<void> {
  await db.run(sql`
    insert into vulnerability_history (vulnerability_id, kind, user_id, import_id, ref, created_at, updated_at)
    select f.vulnerability_id, ${kind}, ${userId}, ${importId}, ${ref}, ${now}, ${now}
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

interface PastRow {
  id: number
  vulnerability_id: number
  kind: HistoryKind
  user_id: number | null
  import_id: number | null
  bulk_id: number | null
  ref: string | null
  from_value: string | null
  to_value: string | null
  comment: string | null
  dismissal_reason: string | null
  details: object | null
  created_at: string
  updated_at: string
  username: string | null
  name: string | null
  user_state: User['state'] | null
  import_ref: string | null
  category: string | null
  commit_sha: string | null
  format: string | null
  scanner_name: string | null
  import_created_at: string | null
}

const pastColumns: Sql = sql`h.id, h.vulnerability_id, h.kind, h.user_id, h.import_id, h.bulk_id, h.ref, h.from_value,
  h.to_value, h.comment, h.dismissal_reason, h.details, h.created_at, h.updated_at,
  u.username, u.name, ${selectState('u', 'user_state')},
  i.ref as import_ref, i.category, i.commit_sha, i.format, i.scanner_name, i.created_at as import_created_at`

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
  const rows = await db.all<PastRow>(sql`
    select ${pastColumns} from vulnerability_history h
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where h.vulnerability_id = ${vulnerabilityId} and h.kind in ${db.dialect.texts(kinds)}
    order by h.id ${direction} limit ${perPage + 1} offset ${offset}`)
  return rows.map(pastFrom)
}

/** Returns the newest state changes of each vulnerability, oldest first. */
export async function listTransitions(
  db: Db,
  vulnerabilityIds: readonly number[],
  maxPerVulnerability: number,
): Promise<PastEntry[]> {
  const rows = await db.all<PastRow>(sql`
    select ${pastColumns} from (
      select id as ranked_id, row_number() over (partition by vulnerability_id order by id desc) as place
      from vulnerability_history
      where vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and kind = 'state'
    ) as ranked join vulnerability_history h on h.id = ranked.ranked_id
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where ranked.place <= ${maxPerVulnerability} order by h.id`)
  return rows.map(pastFrom)
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
  const row = await db.one<PastRow>(sql`
    select ${pastColumns} from vulnerability_history h
    left join users u on u.id = h.user_id left join imports i on i.id = h.import_id
    where h.id = ${id} and h.vulnerability_id = ${vulnerabilityId} and h.kind in ${db.dialect.texts(kinds)}`)
  return row && pastFrom(row)
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

function pastFrom(row: PastRow): PastEntry {
  return {
    id: row.id,
    vulnerabilityId: row.vulnerability_id,
    kind: row.kind,
    userId: row.user_id,
    importId: row.import_id,
    bulkId: row.bulk_id,
    ref: row.ref,
    from: row.from_value,
    to: row.to_value,
    comment: row.comment,
    dismissalReason: row.dismissal_reason,
    details: row.details,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    author:
      row.user_id === null
        ? null
        : { id: row.user_id, username: row.username ?? '', name: row.name ?? '', state: row.user_state ?? 'active' },
    import:
      row.import_id === null
        ? null
        : {
            id: row.import_id,
            ref: row.import_ref ?? '',
            category: row.category,
            commitSha: row.commit_sha,
            format: row.format ?? '',
            scanner: row.scanner_name,
            createdAt: row.import_created_at ?? '',
          },
  }
}
