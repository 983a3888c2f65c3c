import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** The project or group in which a change applies. */
export type FlawPlace = { kind: 'project' | 'group'; id: number }

export interface FlawChange {
  id: number
  kind: 'split' | 'join'
  projectId: number | null
  namespaceId: number | null
  userId: number | null
  fromKey: number
  toKey: number
  total: number
  createdAt: string
  undoneAt: string | null
  undoneById: number | null
}

const columns = sql`id, kind, project_id, namespace_id, user_id, from_key, to_key, total, created_at, undone_at,
  undone_by_id`

const isOf = ({ kind, id }: FlawPlace): Sql =>
  kind === 'project' ? sql`project_id = ${id}` : sql`namespace_id = ${id}`

type FlawChangeDraft = Pick<FlawChange, 'kind' | 'fromKey' | 'toKey' | 'createdAt'> & { userId: number }

/** Inserts a change with the vulnerabilities that it concerns. */
export async function insertFlawChange(
  db: Db,
  { kind, id }: FlawPlace,
  draft: FlawChangeDraft,
  vulnerabilityIds: readonly number[],
): Promise<FlawChange> {
  const row = await db.one<FlawChange>(sql`
    insert into flaw_changes (kind, project_id, namespace_id, user_id, from_key, to_key, total, created_at)
    values (${draft.kind}, ${kind === 'project' ? id : null}, ${kind === 'group' ? id : null}, ${draft.userId},
      ${draft.fromKey}, ${draft.toKey}, ${vulnerabilityIds.length}, ${draft.createdAt})
    returning ${columns}`)
  if (!row) throw new Error('an inserted change returned no row')
  await db.run(sql`
    insert into flaw_change_members (vulnerability_id, change_id)
    select v.id, ${row.id} from vulnerabilities v where v.id in ${db.dialect.integers(vulnerabilityIds)} order by v.id`)
  return row
}

/** Returns the changes of a project or group, newest first. */
export function newestFlawChanges(
  db: Db,
  place: FlawPlace,
  { offset, limit }: { offset: number; limit: number },
): Promise<FlawChange[]> {
  return db.all(sql`
    select ${columns} from flaw_changes where ${isOf(place)} order by id desc limit ${limit} offset ${offset}`)
}

/** Undoes a change and returns it; undefined when it is not one of the place or is undone already. */
export function undoFlawChange(
  db: Db,
  place: FlawPlace,
  id: number,
  { userId, now }: { userId: number; now: string },
): Promise<FlawChange | undefined> {
  return db.one(sql`
    update flaw_changes set undone_at = ${now}, undone_by_id = ${userId}
    where id = ${id} and ${isOf(place)} and undone_at is null returning ${columns}`)
}

/** Returns the vulnerabilities of a change that belong to some projects. */
export async function listChangeMembers(db: Db, changeId: number, projectIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select m.vulnerability_id as id from flaw_change_members m join vulnerabilities v on v.id = m.vulnerability_id
    where m.change_id = ${changeId} and v.project_id in ${db.dialect.integers(projectIds)} order by m.vulnerability_id`)
  return rows.map(({ id }) => id)
}

/** Returns the vulnerabilities of flaws in some projects. */
export async function listIdsOfFlaws(
  db: Db,
  keys: readonly number[],
  { projectIds, limit }: { projectIds: readonly number[]; limit: number },
): Promise<number[]> {
  const { integers } = db.dialect
  const rows = await db.all<{ id: number }>(sql`
    select id from vulnerabilities where flaw_key in ${integers(keys)} and project_id in ${integers(projectIds)}
    order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/**
 * Holds where a change applies in the project `p` of the namespace `n`: a change of the project, or of `g`, a group above
 * it. A project that is transferred out of the group leaves its changes behind.
 */
const appliesHere = sql`(c.project_id = p.id or g.id = n.id
  or n.lineage >= g.lineage || g.id || '/' and n.lineage < g.lineage || g.id || '0')`

/** Returns the keys that changes gave to vulnerabilities. Of several changes the newest counts. */
export async function listGivenKeys(db: Db, vulnerabilityIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.all<{ vulnerabilityId: number; toKey: number }>(sql`
    select m.vulnerability_id, c.to_key
    from flaw_change_members m join flaw_changes c on c.id = m.change_id
      join vulnerabilities v on v.id = m.vulnerability_id
      join projects p on p.id = v.project_id join namespaces n on n.id = p.namespace_id
      left join namespaces g on g.id = c.namespace_id
    where m.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and c.undone_at is null and ${appliesHere}
    order by m.vulnerability_id, c.id`)
  return new Map(rows.map(({ vulnerabilityId, toKey }) => [vulnerabilityId, toKey]))
}

/** A join that applies in a project. */
export interface AppliedJoin {
  projectId: number
  fromKey: number
  toKey: number
}

/** Returns the joins of these keys that apply in the projects, those of groups before those of projects. */
export function listJoins(db: Db, keys: readonly number[], projectIds: readonly number[]): Promise<AppliedJoin[]> {
  return db.all(sql`
    select p.id as project_id, c.from_key, c.to_key
    from flaw_changes c cross join projects p join namespaces n on n.id = p.namespace_id
      left join namespaces g on g.id = c.namespace_id
    where c.from_key in ${db.dialect.integers(keys)} and c.undone_at is null and c.kind = 'join'
      and p.id in ${db.dialect.integers(projectIds)}
      and ${appliesHere}
    order by p.id, c.project_id is not null, c.id`)
}

/** A change that gave vulnerabilities their key, with its author. */
export interface KeyOrigin {
  toKey: number
  kind: FlawChange['kind']
  username: string | null
  createdAt: string
}

/** Returns the newest changes that gave these keys in some projects or groups above them. */
export function listKeyOrigins(
  db: Db,
  keys: readonly number[],
  vulnerabilityIds: readonly number[],
): Promise<KeyOrigin[]> {
  const { integers } = db.dialect
  return db.all(sql`
    select c.to_key, c.kind, u.username, c.created_at from flaw_changes c left join users u on u.id = c.user_id
    where c.to_key in ${integers(keys)} and c.undone_at is null and exists (
      select 1 from flaw_change_members m
      where m.change_id = c.id and m.vulnerability_id in ${integers(vulnerabilityIds)})
    order by c.id`)
}
