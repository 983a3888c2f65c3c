import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { stateIn } from '../../users/user-state-sql.ts'
import type { SavedView, ViewConditions, ViewDraft } from './saved-view.ts'

/** Ids of the place of a view; the list of the instance has neither. */
export interface PlaceIds {
  projectId: number | null
  namespaceId: number | null
}

const columns: Sql = sql`w.id, w.project_id, w.namespace_id, w.user_id, w.name, w.filter, w.conditions, w.sort,
  w.is_shared, d.id as default_id, w.created_at, w.updated_at, u.id as "author.id", u.username as "author.username",
  u.name as "author.name", ${stateIn('u')} as "author.state", u.avatar_filename as "author.avatar_filename"`

type SavedViewRow = Omit<SavedView, 'isDefault'> & { defaultId: number | null }

const viewFrom = ({ defaultId, ...row }: SavedViewRow): SavedView => ({ ...row, isDefault: defaultId !== null })

const joinDefault = (userId: number): Sql =>
  sql`left join default_views d on d.view_id = w.id and d.user_id = ${userId}`

function isIn({ projectId, namespaceId }: PlaceIds): Sql {
  if (projectId !== null) return sql`w.project_id = ${projectId}`
  return namespaceId !== null
    ? sql`w.namespace_id = ${namespaceId}`
    : sql`w.namespace_id is null and w.project_id is null`
}

/** Returns the shared views of a place and the user's own ones, by name. */
export async function listViews(db: Db, place: PlaceIds, userId: number, limit: number): Promise<SavedView[]> {
  const rows = await db.all<SavedViewRow>(sql`
    select ${columns} from saved_views w join users u on u.id = w.user_id ${joinDefault(userId)}
    where ${isIn(place)} and (w.is_shared = true or w.user_id = ${userId}) order by w.name, w.id limit ${limit}`)
  return rows.map(viewFrom)
}

/** Returns a view of the place that is shared or the user's own. */
export async function findView(db: Db, place: PlaceIds, id: number, userId: number): Promise<SavedView | undefined> {
  const row = await db.one<SavedViewRow>(sql`
    select ${columns} from saved_views w join users u on u.id = w.user_id ${joinDefault(userId)}
    where w.id = ${id} and ${isIn(place)} and (w.is_shared = true or w.user_id = ${userId})`)
  return row && viewFrom(row)
}

/** Counts the views of a user in a place, or the shared ones of a place. */
export async function countViews(db: Db, place: PlaceIds, which: { userId: number } | 'shared'): Promise<number> {
  const isCounted = which === 'shared' ? sql`w.is_shared = true` : sql`w.user_id = ${which.userId}`
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from saved_views w where ${isIn(place)} and ${isCounted}`)
  return row?.total ?? 0
}

export async function insertView(
  db: Db,
  { projectId, namespaceId }: PlaceIds,
  { userId, now, ...draft }: ViewDraft & { userId: number; now: string },
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into saved_views (project_id, namespace_id, user_id, name, filter, conditions, sort, is_shared, created_at,
      updated_at)
    values (${projectId}, ${namespaceId}, ${userId}, ${draft.name}, ${draft.filter}, ${draft.conditions}, ${draft.sort},
      ${draft.isShared}, ${now}, ${now}) returning id`)
  if (!row) throw new Error('an inserted view returned no id')
  return row.id
}

export async function updateView(db: Db, id: number, draft: ViewDraft, now: string): Promise<void> {
  await db.run(sql`
    update saved_views set name = ${draft.name}, filter = ${draft.filter}, conditions = ${draft.conditions}, sort = ${draft.sort},
      is_shared = ${draft.isShared}, updated_at = ${now}
    where id = ${id}`)
}

export async function deleteView(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from saved_views where id = ${id}`)
}

/** Locks a view until the transaction ends, so that no webhook begins to use it. */
export async function lockView(db: Db, id: number): Promise<void> {
  await db.one(sql`select id from saved_views where id = ${id} ${db.dialect.forUpdate}`)
}

/** Returns the conditions of views, by id. */
export async function listConditions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; conditions: ViewConditions | null }[]> {
  return db.all(sql`select id, conditions from saved_views where id in ${db.dialect.integers(ids)} order by id`)
}

/** Stores the conditions of a view that was saved without them. */
export async function updateConditions(db: Db, id: number, conditions: ViewConditions): Promise<void> {
  await db.run(sql`update saved_views set conditions = ${conditions} where id = ${id}`)
}

/** Removes the user's default view of a place. */
export async function deleteDefault(db: Db, place: PlaceIds, userId: number): Promise<void> {
  await db.run(sql`
    delete from default_views
    where user_id = ${userId} and view_id in (select w.id from saved_views w where ${isIn(place)})`)
}

export async function insertDefault(db: Db, viewId: number, userId: number): Promise<void> {
  await db.run(sql`insert into default_views (user_id, view_id) values (${userId}, ${viewId})`)
}
